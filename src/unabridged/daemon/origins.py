"""Whom an HTTP listener at the loopback address believes to be asked by: programs of this machine, never a page.

A page in a browser can send requests to the loopback address, under a name of its own that leads there (DNS rebinding)
or straight from its own origin. So the names that were asked for and the origin are compared with exact lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

ADDRESS = "127.0.0.1"
NAMES = (ADDRESS, "localhost")
OWN_SITES = (
    b"same-origin",
    b"none",
)  # that a browser names beside what it sends by itself; other programs name none

Headers = Sequence[tuple[bytes, bytes]]  # names in lower case


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not answered. `reason` is for the log; headers come beside the usual ones."""

    status: int
    reason: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


def strange(port: int, headers: Headers) -> Refusal | None:
    """Look at where a request to a port comes from and whom it believes to ask; None for one of our own machine's."""
    hosts, origins = values(headers, b"host"), values(headers, b"origin")
    if len(hosts) != 1 or hosts[0] not in {f"{name}:{port}".encode() for name in NAMES}:
        return Refusal(421, "host")
    if origins and (
        len(origins) > 1 or origins[0] not in {f"http://{name}:{port}".encode() for name in NAMES}
    ):
        return Refusal(403, "origin")
    if any(site not in OWN_SITES for site in values(headers, b"sec-fetch-site")):
        return Refusal(403, "origin")
    return None


def values(headers: Headers, name: bytes) -> list[bytes]:
    """Return the values of a header, in order."""
    return [value for key, value in headers if key == name]
