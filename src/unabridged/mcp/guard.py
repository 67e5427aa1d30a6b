"""Who may ask over HTTP: requests of this machine's own programs that know the token of this run, and nobody else.

Nothing allows another origin to read an answer, and without the token there is none.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from unabridged.daemon.origins import ADDRESS, Headers, Refusal, strange, values

PATH = "/mcp"
METHODS = ("POST", "GET", "DELETE")
JSON = b"application/json"

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
        return strange(self.port, headers) or self._unknown(path, headers) or _unusable(method, headers)

    def _unknown(self, path: bytes, headers: Headers) -> Refusal | None:
        """Look for the token, in the one header or in the path."""
        token, usual = self.token.encode(), PATH.encode()
        given = values(headers, b"authorization")
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
    kinds = values(headers, b"content-type")
    if method == "POST" and (len(kinds) != 1 or kinds[0].partition(b";")[0].strip().lower() != JSON):
        return Refusal(415, "content-type")
    return None
