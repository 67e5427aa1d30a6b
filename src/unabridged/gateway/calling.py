"""Calls to providers: one pool of connections for each, no cookies, no redirects, nothing decoded, nothing kept."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Mapping
from urllib.request import getproxies, proxy_bypass

import httpx2

from unabridged.gateway.upstreams import Upstream

CONNECT_SECONDS = 15.0
SILENT_SECONDS = 600.0  # that a provider may be silent: some think that long
WRITE_SECONDS = 60.0  # that it may leave our request unread
KEEP_SECONDS = 30.0  # that an unused connection is kept
MOST = 512  # connections at once to one provider
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

TIMEOUT = {
    "connect": CONNECT_SECONDS,
    "read": SILENT_SECONDS,
    "write": WRITE_SECONDS,
    "pool": CONNECT_SECONDS,
}


class Calling:
    """The providers' connections."""

    def __init__(self, proxies: Mapping[str, str] | None = None) -> None:
        """Go through the proxies of the environment, by scheme; nothing on this machine is reached through one."""
        self._proxies = getproxies() if proxies is None else proxies
        self._pools = dict[str, httpx2.AsyncHTTPTransport]()
        self._trust: ssl.SSLContext | None = None

    async def call(
        self,
        upstream: Upstream,
        method: str,
        target: bytes,
        headers: list[tuple[bytes, bytes]],
        body: bytes | AsyncIterator[bytes] | None,
    ) -> httpx2.Response:
        """Return a provider's answer once its head is there; raises `httpx2.TransportError`. It must be closed."""
        request = httpx2.Request(
            method,
            upstream.origin,
            headers=headers,
            content=body,
            extensions={"target": target, "timeout": TIMEOUT},
        )
        return await self._pool(upstream).handle_async_request(request)

    async def close(self) -> None:
        """End all connections."""
        for pool in self._pools.values():
            await pool.aclose()

    def _pool(self, upstream: Upstream) -> httpx2.AsyncHTTPTransport:
        found = self._pools.get(upstream.origin)
        if found is None:
            limits = httpx2.Limits(
                max_connections=MOST, max_keepalive_connections=MOST, keepalive_expiry=KEEP_SECONDS
            )
            found = self._pools[upstream.origin] = httpx2.AsyncHTTPTransport(
                verify=self._certificates(), limits=limits, proxy=self._proxy(upstream)
            )
        return found

    def _certificates(self) -> ssl.SSLContext:
        if self._trust is None:
            self._trust = httpx2.create_ssl_context()
        return self._trust

    def _proxy(self, upstream: Upstream) -> str | None:
        if upstream.host in LOOPBACK or proxy_bypass(upstream.host):
            return None
        return self._proxies.get(upstream.scheme) or self._proxies.get("all")
