"""Who may ask over HTTP: requests of this machine's own programs that know the token of this run, and nobody else.

A page in a browser can send requests to the loopback address, under a name of its own that leads there (DNS rebinding)
or straight from its own origin. So the names that were asked for and the origin are compared with exact lists, nothing
allows another origin to read an answer, and without the token there is none.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass

ADDRESS = "127.0.0.1"
NAMES = (ADDRESS, "localhost")
PATH = "/mcp"
METHODS = ("POST", "GET", "DELETE")
OWN_SITES = (
    b"same-origin",
    b"none",
)  # that a browser names beside what it sends by itself; other programs name none
JSON = b"application/json"

Headers = Sequence[tuple[bytes, bytes]]  # names in lower case


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not answered. `reason` is for the log; headers come beside the usual ones."""

    status: int
    reason: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


_UNKNOWN = Refusal(401, "token", ((b"www-authenticate", b"Bearer"),))


@dataclass(frozen=True, slots=True)
class Door:
    """What one listener lets in: requests to its port, with its token."""

    port: int
    token: str

    @property
    def url(self) -> str:
        """The address for who sends the token in a header."""
        return f"http://{ADDRESS}:{self.port}{PATH}"

    @property
    def whole_url(self) -> str:
        """The address with the token in it, for who can send no header."""
        return f"http://{ADDRESS}:{self.port}/{self.token}{PATH}"

    def refusal(self, method: str, path: bytes, headers: Headers) -> Refusal | None:
        """Return why a request is refused, None for one that is let in; `path` is the raw one, without the query."""
        return self._strange(headers) or self._unknown(path, headers) or _unusable(method, headers)

    def _strange(self, headers: Headers) -> Refusal | None:
        """Look at where a request comes from and whom it believes to ask."""
        hosts, origins = _all(headers, b"host"), _all(headers, b"origin")
        if len(hosts) != 1 or hosts[0] not in {f"{name}:{self.port}".encode() for name in NAMES}:
            return Refusal(421, "host")
        if origins and (
            len(origins) > 1 or origins[0] not in {f"http://{name}:{self.port}".encode() for name in NAMES}
        ):
            return Refusal(403, "origin")
        if any(site not in OWN_SITES for site in _all(headers, b"sec-fetch-site")):
            return Refusal(403, "origin")
        return None

    def _unknown(self, path: bytes, headers: Headers) -> Refusal | None:
        """Look for the token, in the one header or in the path."""
        token, usual = self.token.encode(), PATH.encode()
        given = _all(headers, b"authorization")
        if len(given) == 1:
            scheme, _, said = given[0].partition(b" ")
            known = scheme.lower() == b"bearer" and hmac.compare_digest(said.strip(), token)
            return None if known and path == usual else Refusal(404, "path") if known else _UNKNOWN
        if not given and hmac.compare_digest(path, b"/" + token + usual):
            return None
        return _UNKNOWN


def _unusable(method: str, headers: Headers) -> Refusal | None:
    if method not in METHODS:
        return Refusal(405, "method", ((b"allow", ", ".join(METHODS).encode()),))
    kinds = _all(headers, b"content-type")
    if method == "POST" and (len(kinds) != 1 or kinds[0].partition(b";")[0].strip().lower() != JSON):
        return Refusal(415, "content-type")
    return None


def _all(headers: Headers, name: bytes) -> list[bytes]:
    return [value for key, value in headers if key == name]
