"""Whether a restored file is the original, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unabridged.cli import human


def sameness(facts: Mapping[str, Any]) -> str:
    """Return whether the file is the original byte for byte, and why not."""
    if facts["identical"]:
        return "byte-identical to the original"
    reasons: list[str] = []
    if facts["redactions"]:
        reasons.append(human.plural(int(facts["redactions"]), "redaction"))
    if facts["missing"]:
        reasons.append(f"{human.size(facts['missing'])} missing")
    return f"not byte-identical to the original: {', '.join(reasons)}"
