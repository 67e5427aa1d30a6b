"""What does the gateway cost a request, and how late are the events of a hundred answers at once?"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unabridged.bench import figures, home, processes
from unabridged.bench.home import Home, end, environment
from unabridged.bench.passages import Passages
from unabridged.bench.prompts import MESSAGES, bodies
from unabridged.bench.setup import Result, Setup, conditions, passages
from unabridged.bench.streams import Heard, ask, together
from unabridged.errors import DaemonUnavailable

REQUESTS = 40  # of one conversation, one at a time, each a turn longer than the one before
STREAMS = 100
STREAM_MESSAGES = 100  # of the history of each of them
EVENTS, GAP_MS = 200, 50  # of each answer: ten seconds
OVER_SECONDS = 5.0  # in which the streams begin
WARM_SECONDS = 5.0  # in which each conversation has its first request
QUIET_SECONDS = 2.0  # after which nothing is filed any more
SETTLE_SECONDS = 0.15  # after an answer, for what is filed beside it
START_SECONDS = 60.0
COMMITS = 60
ITEM = '{"role":"user","content":"' + "word " * 200 + '"}'
MIB = 1 << 20
PLAIN = "plain"
TIMED = (  # what has a p50, p95 and p99, by its path
    ("cpu",),
    ("answer",),
    ("streams", "late"),
    ("streams", "first"),
)

# Passes requests through with the parts that a proxy in Python is usually made of, and looks at each body once.
RIVAL = """
import json, sys
import httpx2, uvicorn
from starlette.applications import Starlette
from starlette.responses import StreamingResponse
from starlette.routing import Route
client = httpx2.AsyncClient(timeout=None, limits=httpx2.Limits(max_connections=None))
LEFT = {"host", "content-length", "connection", "transfer-encoding", "accept-encoding"}
async def passed(request):
    body = await request.body()
    if len(sys.argv) < 3:
        body = json.dumps(json.loads(body)).encode()
    kept = {name: value for name, value in request.headers.items() if name not in LEFT}
    asked = client.build_request("POST", sys.argv[1] + request.url.path, content=body, headers=kept)
    answer = await client.send(asked, stream=True)
    headers = {name: value for name, value in answer.headers.items() if name not in LEFT}
    return StreamingResponse(answer.aiter_raw(), answer.status_code, headers)
app = Starlette(routes=[Route("/{path:path}", passed, methods=["POST"])])
class Server(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        print(self.servers[0].sockets[0].getsockname()[1], flush=True)
Server(uvicorn.Config(app, port=0, log_level="critical", access_log=False, lifespan="off")).run()
"""

NOTES = [
    "`cpu`: processor time of the gateway's whole process for one request (HTTP, window, filing), one in flight.",
    "`blind`: the rival without a look at the bodies; `beyond_blind_ms`: what the gateway costs more than that, p50.",
    "`answer`: from the request to the first event of its answer; the provider answers at once.",
    "`commit`: a turn's items durable in the daemon; the gateway waits for that where something is to be left out.",
    "`daemon_cpu_ms`: processor time of the daemon and its workers for one request, on average.",
    "`streams`: answers at once, each of a conversation of its own, which went through once before.",
    "`event_cpu_ms`: processor time of the process for the whole of the streams, their requests too, by their events.",
    "`late`: from when the provider sent an event to when the client had it; `added`: less that without us.",
    "The rival passes requests on with starlette, uvicorn and httpx2, decodes each body and encodes it (`json`).",
    "The rival's server reads HTTP with the same parser as ours: uvicorn takes `httptools` where it is installed.",
]


def measure(setup: Setup) -> Result:
    """Measure requests of `size` messages one at a time, then many small ones at once."""
    writer = passages(setup)
    setup.tell("writing requests")
    requests = list(bodies("anthropic", setup.size, REQUESTS, writer))
    small = [
        list(bodies("anthropic", STREAM_MESSAGES, 2, Passages(writer.corpus, setup.seed + 1 + number)))
        for number in range(STREAMS)
    ]
    with home.temporary(setup.keep) as place:
        place.start()
        setup.tell("measuring commits")
        commit = _commits(place)
        with (
            provider() as direct,
            gateway(place, direct) as ours,
            rival(direct) as theirs,
            rival(direct, PLAIN) as plain,
        ):
            found = _measured(setup, "the gateway", *ours, requests, small, place.pids)
            other = _measured(setup, "the rival", *theirs, requests, small, list[int])
            setup.tell("measuring a proxy that looks at nothing")
            blind = _one_by_one(*plain, requests, list[int])["cpu"]
            setup.tell("measuring without anything in between")
            bare = _late(
                asyncio.run(
                    together(direct, [second for _, second in small], "bare", EVENTS, GAP_MS, OVER_SECONDS)
                )
            )
    for one in (found, other):
        late = one["streams"]["late"]
        one["streams"]["added"] = {
            name: figures.rounded(max(0.0, late[name] - bare["late"][name]))
            for name in ("p50_ms", "p95_ms", "p99_ms")
        }
    found["commit"] = commit
    found["direct"] = bare
    found["blind"] = {"cpu": blind}
    found["beyond_blind_ms"] = figures.rounded(found["cpu"]["p50_ms"] - blind["p50_ms"])
    ratio = _ratios(found, other)
    more = {
        "messages": setup.size // MESSAGES * MESSAGES,
        "bytes": len(requests[-1]),
        "requests": REQUESTS,
        "streams": STREAMS,
        "stream_bytes": len(small[0][1]),
        "events": EVENTS,
        "gap_ms": GAP_MS,
    }
    return Result(found, other, ratio, conditions(setup, writer, **more), NOTES)


def _measured(
    setup: Setup,
    who: str,
    url: str,
    pid: int,
    requests: Sequence[bytes],
    small: Sequence[Sequence[bytes]],
    daemon: Callable[[], list[int]],
) -> dict[str, Any]:
    setup.tell(f"measuring {who}: one request at a time")
    found = _one_by_one(url, pid, requests, daemon)
    setup.tell(f"measuring {who}: {STREAMS} answers at once")
    asyncio.run(together(url, [first for first, _ in small], "many", 1, 0, WARM_SECONDS))
    time.sleep(QUIET_SECONDS)
    idle = processes.held([pid])["private"]
    before = processes.spent([pid])
    with processes.Peak(lambda: [pid]) as peak:
        heard = asyncio.run(_at_once(url, small))
    each = (processes.spent([pid]) - before) / (len(small) * EVENTS)
    memory = {
        "idle_mib": figures.rounded(idle / MIB),
        "above_idle_mib": figures.rounded((peak.private - idle) / MIB),
    }
    streams = {**_late(heard), "event_cpu_ms": figures.rounded(each * 1e3), "memory": memory}
    return {**found, "streams": streams}


async def _at_once(url: str, small: Sequence[Sequence[bytes]]) -> list[Heard]:
    return await together(url, [second for _, second in small], "many", EVENTS, GAP_MS, OVER_SECONDS)


def _one_by_one(
    url: str, pid: int, requests: Sequence[bytes], daemon: Callable[[], list[int]]
) -> dict[str, Any]:
    spent, first, beside = list[float](), list[float](), list[float]()
    for body in requests:
        before, kept = processes.spent([pid]), processes.spent(daemon())
        heard = asyncio.run(ask(url, body, "one", 1, 0))
        time.sleep(SETTLE_SECONDS)
        spent.append(processes.spent([pid]) - before)
        beside.append(processes.spent(daemon()) - kept)
        first.append(heard.first)
    found: dict[str, Any] = {"cpu": figures.latencies(spent[1:]), "answer": figures.latencies(first[1:])}
    if any(beside):
        found["daemon_cpu_ms"] = figures.rounded(sum(beside[1:]) / len(beside[1:]) * 1e3)
    return found


def _late(heard: Sequence[Heard]) -> dict[str, Any]:
    return {
        "late": figures.latencies([late for one in heard for late in one.late]),
        "first": figures.latencies([one.first for one in heard]),
    }


def _ratios(found: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    made = dict[str, Any]()
    for path in TIMED:
        ours, theirs = (figures.at(one, ".".join(path)) for one in (found, other))
        holder = made
        for name in path[:-1]:
            holder = holder.setdefault(name, {})
        holder[path[-1]] = figures.faster(ours, theirs)
    return made


def _commits(place: Home) -> dict[str, Any]:
    """Return how long a turn's items take to be durable."""
    conversation, times = f"{1:032x}", list[float]()
    with place.connect() as connection:
        connection.call(
            "window.open", {"conversation": conversation, "host": "bench", "cwd": str(place.work)}
        )
        for number in range(COMMITS):
            rows = [
                {
                    "key": f"{number * MESSAGES + at + 1:032x}",
                    "raw": '{"role":"user","content":"' + "word " * 200 + '"}',
                }
                for at in range(MESSAGES)
            ]
            before = time.perf_counter()
            connection.call("capture", {"conversation": conversation, "rows": rows})
            times.append(time.perf_counter() - before)
    return figures.latencies(times[1:])


@contextmanager
def provider() -> Generator[str]:
    """Give the address of a provider in a process of its own."""
    with _started([sys.executable, "-m", "unabridged.bench.provider"], environment(Path("/nowhere"))) as (
        port,
        _,
    ):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def rival(direct: str, *how: str) -> Generator[tuple[str, int]]:
    """Give the address and the process of a proxy that only passes on; `PLAIN`: without looking at a body."""
    with _started([sys.executable, "-c", RIVAL, direct, *how], environment(Path("/nowhere"))) as (port, pid):
        yield f"http://127.0.0.1:{port}", pid


@contextmanager
def gateway(place: Home, direct: str) -> Generator[tuple[str, int]]:
    """Give the address and the process of a gateway beside a home's daemon."""
    command = [sys.executable, "-m", "unabridged", "gateway", "--json", "--upstream", f"anthropic={direct}"]
    with _started([*command, "--until-input-ends"], environment(place.data), place.work) as (line, pid):
        yield line.partition('"url": "')[2].partition('"')[0], pid


@contextmanager
def _started(
    command: list[str], env: Mapping[str, str], folder: Path = Path("/")
) -> Generator[tuple[str, int]]:
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(env), cwd=folder
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline().decode().strip()
        if not line:
            raise DaemonUnavailable(f"{command[2]} ended at once")
        yield line, process.pid
    finally:
        end(process)
