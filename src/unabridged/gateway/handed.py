"""What `una run` hands to its gateway: a socket that listens, a token, addresses of providers.

They come in the environment, which only this user can read; a command line is everybody's. A gateway that ends before
its client is followed by another one with the same, so that the client finds it where the first one was.
"""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Mapping, Sequence
from hashlib import sha256

import msgspec

from unabridged.daemon.origins import ADDRESS

VARIABLE = "_UNA_GATEWAY"
BACKLOG = 64  # connections that the kernel keeps until they are accepted
TOKEN_BYTES = 32  # of randomness
RUN_DIGITS = 20  # that tell one run from others


class Handed(msgspec.Struct, frozen=True):
    """`descriptor` is that of a listening socket."""

    descriptor: int
    token: str
    upstreams: tuple[str, ...] = ()

    @property
    def listener(self) -> socket.socket:
        """The socket, which is not handed on."""
        os.set_inheritable(self.descriptor, False)
        found = socket.socket(fileno=self.descriptor)
        found.setblocking(False)
        return found

    def variables(self) -> dict[str, str]:
        """Return what the gateway's environment has in it."""
        return {VARIABLE: msgspec.json.encode(self).decode()}


def offered(listener: socket.socket, upstreams: Sequence[str]) -> Handed:
    """Return what is handed to a gateway, with a new token."""
    return Handed(listener.fileno(), new_token(), tuple(upstreams))


def new_token() -> str:
    """Return a token that nobody can guess."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def run_of(token: str) -> str:
    """Return the name of a run, which gateways that follow one another share; it does not tell the token."""
    return f"run-{sha256(token.encode()).hexdigest()[:RUN_DIGITS]}"


def listening() -> socket.socket:
    """Return a socket that listens at a free port."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.bind((ADDRESS, 0))
    found.listen(BACKLOG)
    return found


def given(environ: Mapping[str, str]) -> Handed | None:
    """Return what was handed to this process, None where nothing was."""
    text = environ.get(VARIABLE)
    return msgspec.json.decode(text, type=Handed) if text else None
