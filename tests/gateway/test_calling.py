"""A provider is asked directly, or through the proxy that the environment names for it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from unabridged.gateway.calling import Calling
from unabridged.gateway.upstreams import upstream

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


def asked_of(host: str, proxies: Mapping[str, str]) -> tuple[bytes, bytes]:
    """The first line that a server on this machine gets, as a provider or as a proxy, and the answer's body."""

    async def main() -> tuple[bytes, bytes]:
        lines = list[bytes]()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = await reader.readuntil(b"\r\n\r\n")
            lines.append(head.partition(b"\r\n")[0])
            writer.write(ANSWER)
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        given = {scheme: url.format(port=port) for scheme, url in proxies.items()}
        calling, provider = Calling(given), upstream("p", f"http://{host}:{port}/v1")
        headers = [(b"host", provider.authority), (b"content-length", b"2")]
        try:
            async with asyncio.timeout(30):
                answer = await calling.call(provider, "POST", b"/v1/messages", headers, b"{}")
                body = b"".join([piece async for piece in answer.stream])  # type: ignore[union-attr]
                await answer.aclose()
        finally:
            await calling.close()
            server.close()
        return lines[0], body

    return asyncio.run(main())


@pytest.mark.parametrize("scheme", ["http", "all"])
def test_a_provider_elsewhere_is_asked_through_the_proxy(scheme: str) -> None:
    line, body = asked_of("provider.invalid", {scheme: "http://127.0.0.1:{port}"})
    assert (line.split(b" ")[0], body) == (b"POST", b"ok")
    assert line.split(b" ")[1].startswith(b"http://provider.invalid:")
    assert line.split(b" ")[1].endswith(b"/v1/messages")


def test_one_on_this_machine_never_is() -> None:
    line, body = asked_of("127.0.0.1", {"http": "http://127.0.0.1:1", "all": "http://127.0.0.1:1"})
    assert (line, body) == (b"POST /v1/messages HTTP/1.1", b"ok")
