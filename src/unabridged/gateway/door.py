"""Who may use the gateway: programs of this user that know the token of this run, under a path that means one place."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from unabridged.daemon.origins import ADDRESS, Headers, Refusal, strange, values

UNQUOTED_TIMES = 3  # that a path may be escaped over; deeper than that nobody writes one in earnest
# What no provider is asked: a tunnel to elsewhere, and to be told what was sent, credentials with it.
NO_METHODS = frozenset({"CONNECT", "TRACE", "TRACK"})
_FORBIDDEN = (b"\\", b"\0", b"\r", b"\n")
_UNKNOWN = Refusal(404, "token")


@dataclass(frozen=True, slots=True)
class Door:
    """What one listener lets in: requests to its port, with its token as the first segment of the path."""

    port: int
    token: str

    @property
    def url(self) -> str:
        """The base URL, with the token in it."""
        return f"http://{ADDRESS}:{self.port}/{self.token}"

    def refusal(self, path: bytes, headers: Headers, method: str = "GET") -> Refusal | None:
        """Return why a request is refused, None for one that is let in; `path` is the raw one, without the query."""
        found = strange(self.port, headers)
        if found is not None:
            return found
        first, slash, _ = path[1:].partition(b"/")
        if not slash or not hmac.compare_digest(first, self.token.encode()):
            return _UNKNOWN
        if method in NO_METHODS:
            return Refusal(405, "method")
        if not _plain(self.rest(path)):
            return Refusal(400, "path")
        if b"websocket" in b",".join(values(headers, b"upgrade")).lower():
            return Refusal(426, "websocket")  # agents that try one then go on without
        return None

    def rest(self, path: bytes) -> bytes:
        """Return what of a path is the provider's; it begins with a slash."""
        return path[1 + len(self.token) :]


def _plain(path: bytes) -> bool:
    """Tell whether a path means the same place however it is read: no step up, nothing that ends a line."""
    for _ in range(UNQUOTED_TIMES):
        if any(mark in path for mark in _FORBIDDEN) or any(
            part.partition(b";")[0] in (b".", b"..") for part in path.split(b"/")
        ):
            return False
        read = unquote_to_bytes(path)
        if read == path:
            return True
        path = read
    return False
