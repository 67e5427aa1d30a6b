"""The gateway's server inside a test's event loop, with the archive in memory, and clients of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from tests.gateway.memory import Memory
from tests.gateway.upstream import Act, Upstream
from unabridged.daemon import loopback
from unabridged.gateway.bounds import Bounds
from unabridged.gateway.door import Door
from unabridged.gateway.filing import Filing
from unabridged.gateway.identity import OTHER, Who
from unabridged.gateway.journal import Journal
from unabridged.gateway.listening import server
from unabridged.gateway.offered.offers import Offers, Operation
from unabridged.gateway.service import Service
from unabridged.gateway.upstreams import Upstreams
from unabridged.gateway.windows import Windows
from unabridged.window.limits import Gates, Limits

PATIENCE = 100.0  # seconds; a loaded machine is slow
NOBODY = Who(OTHER)
TOKEN = "the-token-of-this-run"
# A window that rotates after a few messages, and one that is never left.
SMALL = Limits(window=4_000, rotation=1_000, hard=2_000, retain_turns=1, gates=Gates(result=200))
LARGE = Limits(window=200_000, rotation=130_000, hard=160_000)


@dataclass
class Stand:
    """Everything that a test looks at."""

    door: Door
    upstream: Upstream
    memory: Memory
    filing: Filing
    http: httpx2.AsyncClient
    logs: Path

    @property
    def url(self) -> str:
        return self.door.url

    async def post(self, path: str, body: Any, **headers: str) -> httpx2.Response:
        """Send a request of JSON and read the whole answer."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.http.post(
            self.url + path, content=content, headers={"content-type": "application/json", **headers}
        )

    async def filed(self) -> None:
        """Wait until nothing waits for the archive."""
        await self.filing.idle()

    def sent(self, at: int = -1) -> dict[str, Any]:
        """The body that the provider got."""
        return json.loads(self.upstream.asked[at].body)

    def logged(self) -> list[dict[str, Any]]:
        """The records of the log."""
        return [json.loads(line) for line in (self.logs / "gateway.log").read_text().splitlines()]


@asynccontextmanager
async def standing(
    folder: Path,
    act: Act,
    *,
    limits: Limits = LARGE,
    bounds: Bounds | None = None,
    body_bytes: int = 8 << 20,
    urls: Mapping[str, str] | None = None,
    who: Who = NOBODY,
    memory: Memory | None = None,
    operation: Operation | None = None,
) -> AsyncIterator[Stand]:
    """Serve; the upstream answers as `act` does. With an `operation`, which answers them, tools are offered."""
    folder.mkdir(mode=0o700, exist_ok=True)
    memory = memory or Memory()
    async with (
        asyncio.timeout(PATIENCE),
        Upstream(act) as upstream,
        httpx2.AsyncClient(timeout=PATIENCE) as http,
    ):
        listener = loopback.listen(0)
        door = Door(listener.getsockname()[1], TOKEN)
        journal = Journal(str(folder / "logs"))
        filing = Filing(memory, journal)
        everywhere = dict.fromkeys(("anthropic", "openai", "chatgpt"), upstream.url)
        offers = Offers(operation, filing, journal) if operation else None
        windows = Windows(filing, bounds or (lambda *_: (limits, "")), who, offers=offers)
        service = Service(door, Upstreams({**everywhere, **(urls or {})}), windows, journal, body_bytes)
        made = server(service)
        serving = asyncio.create_task(made.serve([listener]))
        try:
            yield Stand(door, upstream, memory, filing, http, folder / "logs")
        finally:
            made.should_exit = made.force_exit = True
            await serving
            await service.close()
            await filing.end(1.0)
            journal.close()
