"""Where requests may go: an allow-list of providers, named by the user's own settings and flags, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from unabridged.daemon.origins import Headers, values
from unabridged.errors import InvalidInput

ANTHROPIC, OPENAI, CHATGPT = "anthropic", "openai", "chatgpt"
# The last is where Codex sends what a subscription pays for.
DEFAULTS: Mapping[str, str] = {
    ANTHROPIC: "https://api.anthropic.com",
    OPENAI: "https://api.openai.com/v1",
    CHATGPT: "https://chatgpt.com/backend-api/codex",
}
PORTS = {"http": 80, "https": 443}
VERSION = b"/v1"
_OF_ANTHROPIC = (b"/messages", b"/messages/count_tokens", b"/messages/batches", b"/complete")


@dataclass(frozen=True, slots=True)
class Upstream:
    """One provider. `path` is what stands before every path of its own, without a slash at its end."""

    name: str
    scheme: str
    host: str
    port: int
    path: bytes

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def authority(self) -> bytes:
        """What its Host header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host.encode() if self.port == PORTS[self.scheme] else f"{host}:{self.port}".encode()

    def target(self, path: bytes) -> bytes:
        """Return the path to ask for; the version stands there once, whichever of the two brings it."""
        if self.path.endswith(VERSION) and (path == VERSION or path.startswith(VERSION + b"/")):
            path = path[len(VERSION) :]
        return (self.path + path) or b"/"


def upstream(name: str, url: str) -> Upstream:
    """Return the provider at a URL; raise `InvalidInput` for one that is none."""
    wrong = InvalidInput(
        f"the upstream {name!r} is no address of a provider",
        field="upstream",
        hint="Write NAME=URL, as in `--upstream anthropic=https://api.anthropic.com`.",
    )
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname or "", parts.port
        path = parts.path.rstrip("/").encode("ascii")
    except (ValueError, UnicodeEncodeError):
        raise wrong from None
    named = name and all(char.isalnum() or char in "-_." for char in name) and name.isascii() and name != "v1"
    if not named or parts.scheme not in PORTS or not host or parts.query or parts.fragment or parts.username:
        raise wrong
    return Upstream(name, parts.scheme, host, port or PORTS[parts.scheme], path)


def named(texts: Iterable[str]) -> dict[str, str]:
    """Return the URLs by name of texts `NAME=URL`; the last of a name counts. Raises `InvalidInput`."""
    found = dict[str, str]()
    for text in texts:
        name, _, url = text.partition("=")
        upstream(name, url)
        found[name] = url
    return found


class Upstreams:
    """All of them, and which one a request is for."""

    def __init__(self, urls: Mapping[str, str]) -> None:
        """Take the URLs by name; the providers that are usual are there without being given."""
        self._known = {name: upstream(name, url) for name, url in {**DEFAULTS, **urls}.items()}

    def __iter__(self) -> Iterable[Upstream]:
        """Yield all."""
        return iter(self._known.values())

    def route(self, path: bytes, headers: Headers) -> tuple[Upstream, bytes]:
        """Return the provider of a request, and the path to ask it for.

        A first segment that names one decides; else the API's path does, and where that could be several providers'
        (`/v1/models`) the headers that only clients of one send.
        """
        first, _, rest = path[1:].partition(b"/")
        chosen = self._known.get(first.decode("ascii", "replace"))
        if chosen is not None:
            return chosen, chosen.target(b"/" + rest)
        if path.rstrip(b"/").endswith(_OF_ANTHROPIC) or values(headers, b"anthropic-version"):
            chosen = self._known[ANTHROPIC]
        elif values(headers, b"chatgpt-account-id"):
            chosen = self._known[CHATGPT]
            path = path.removeprefix(VERSION)
        elif values(headers, b"x-api-key") and not values(headers, b"authorization"):
            chosen = self._known[ANTHROPIC]
        else:
            chosen = self._known[OPENAI]
        return chosen, chosen.target(path)
