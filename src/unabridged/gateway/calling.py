"""Calls to providers: one pool of connections for each, no cookies, no redirects, nothing decoded, nothing kept."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Mapping
from urllib.request import getproxies, proxy_bypass

import httpx2

from unabridged.gateway.lines import KEEP_SECONDS, MOST, Lines
from unabridged.gateway.upstreams import Upstream

CONNECT_SECONDS = 15.0
SILENT_SECONDS = 600.0  # that a provider may be silent: some think that long
WRITE_SECONDS = 60.0  # that it may leave our request unread
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
        self._lines = dict[str, Lines]()
        self._behind = dict[str, httpx2.AsyncHTTPTransport]()  # a proxy
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
        proxy = self._proxy(upstream)
        if proxy is None:
            return await self._direct(upstream).call(method, target, headers, body, TIMEOUT)
        request = httpx2.Request(
            method,
            upstream.origin,
            headers=headers,
            content=body,
            extensions={"target": target, "timeout": TIMEOUT},
        )
        return await self._through(upstream, proxy).handle_async_request(request)

    async def close(self) -> None:
        """End all connections."""
        for lines in self._lines.values():
            lines.close()
        for pool in self._behind.values():
            await pool.aclose()

    def _direct(self, upstream: Upstream) -> Lines:
        found = self._lines.get(upstream.origin)
        if found is None:
            trust = self._certificates() if upstream.scheme == "https" else None
            found = self._lines[upstream.origin] = Lines(upstream, trust)
        return found

    def _through(self, upstream: Upstream, proxy: str) -> httpx2.AsyncHTTPTransport:
        found = self._behind.get(upstream.origin)
        if found is None:
            limits = httpx2.Limits(
                max_connections=MOST, max_keepalive_connections=MOST, keepalive_expiry=KEEP_SECONDS
            )
            found = self._behind[upstream.origin] = httpx2.AsyncHTTPTransport(
                verify=self._certificates(), limits=limits, proxy=proxy
            )
        return found

    def _certificates(self) -> ssl.SSLContext:
        if self._trust is None:
            self._trust = httpx2.create_ssl_context()
            self._trust.set_alpn_protocols(["http/1.1"])
        return self._trust

    def _proxy(self, upstream: Upstream) -> str | None:
        if upstream.host in LOOPBACK or proxy_bypass(upstream.host):
            return None
        return self._proxies.get(upstream.scheme) or self._proxies.get("all")
