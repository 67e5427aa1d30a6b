"""Ids of a service's messages as they stand in source keys."""

from __future__ import annotations

import hashlib
import re

DIGITS = 32  # of a name that stands for an id that cannot stand for itself

_NAME = re.compile(r"[\w.:-]{1,100}")


def native_name(given: str) -> str:
    """Return an id as it is, or a digest of one with other characters than ids have; "" of none."""
    if not given or _NAME.fullmatch(given):
        return given
    return hashlib.sha256(given.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
