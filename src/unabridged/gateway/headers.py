"""Which headers are passed on: all but those that are about one connection, and those that would lead a client away."""

from __future__ import annotations

from unabridged.daemon.origins import Headers, values

# RFC 9110, section 7.6.1, and the older names.
HOP_BY_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
# Said anew to the provider: where it is, how long the body is, that it need not be waited for. What comes back must be
# readable, so it is not to be compressed; between this process and a client on the same machine that costs nothing.
OURS = frozenset({b"host", b"content-length", b"expect", b"accept-encoding"})
# Never said to a client: who may read an answer is decided here, and another service or a stricter transport is not at
# this address.
NOT_OURS = frozenset({b"alt-svc", b"strict-transport-security"})
CORS = b"access-control-"
FAULT = b"x-unabridged-fault"


def to_provider(headers: Headers, authority: bytes, *, recoded: bool = False) -> list[tuple[bytes, bytes]]:
    """Return the headers of a request for a provider; `recoded`: its body is not in the form that it came in."""
    left = HOP_BY_HOP | OURS | _named(headers) | ({b"content-encoding"} if recoded else set[bytes]())
    kept = [(name, value) for name, value in headers if name not in left]
    return [(b"host", authority), *kept, (b"accept-encoding", b"identity")]


def to_client(headers: Headers, fault: str = "") -> list[tuple[bytes, bytes]]:
    """Return the headers of an answer for a client."""
    lower = [(name.lower(), value) for name, value in headers]
    left = HOP_BY_HOP | NOT_OURS | _named(lower) | {FAULT}
    if values(lower, b"transfer-encoding"):
        left |= {b"content-length"}  # it does not count then (RFC 9112, section 6.3), and is not what is sent
    kept = [(name, value) for name, value in lower if name not in left and not name.startswith(CORS)]
    return [*kept, (FAULT, fault.encode())] if fault else kept


def _named(headers: Headers) -> set[bytes]:
    """Return the headers that `Connection` says are about this connection, but for those that nothing works without."""
    said = b",".join(values(headers, b"connection")).lower().split(b",")
    return {name.strip() for name in said} - {
        b"content-type",
        b"content-length",
        b"content-encoding",
        b"authorization",
    }
