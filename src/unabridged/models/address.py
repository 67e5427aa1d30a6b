"""The address that a model is asked at. The standard library only, so that who needs no vectors needs no numpy."""

from __future__ import annotations

import http.client
import ssl
from urllib.parse import SplitResult

LOOPBACK = ("127.0.0.1", "::1", "localhost")  # hosts that a key may be sent to without encryption


def connect_to(place: SplitResult, timeout: float) -> http.client.HTTPConnection:
    """Return a connection to an address with http or https, not opened yet; `timeout` in seconds."""
    host = place.hostname or ""
    if place.scheme == "https":
        return http.client.HTTPSConnection(
            host, place.port, timeout=timeout, context=ssl.create_default_context()
        )
    return http.client.HTTPConnection(host, place.port, timeout=timeout)
