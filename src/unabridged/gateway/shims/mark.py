"""Is a provider's address that of a gateway of ours? Then that one makes the window, and an extension stands back."""

from __future__ import annotations

import re

# How a gateway's address looks: this machine, a port, its token as the first segment of the path (`door`, `handed`).
_OURS = re.compile(r"https?://(?:127\.0\.0\.1|localhost):[0-9]{1,5}/[A-Za-z0-9_-]{43}(?:/.*)?")


def is_gateway(url: str) -> bool:
    """Tell whether an address is a gateway's."""
    return _OURS.fullmatch(url) is not None
