"""The gateway as a process of its own, with a real daemon behind it, and `una run`."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.daemon.living import PATIENCE, Home, alive, children, kill, until
from tests.gateway.upstream import Act, Asked, Upstream
from tests.gateway.wire import MESSAGES, answers, anthropic, body, said, talk
from unabridged.daemon import lock

FAULT = "x-unabridged-fault"
PROGRAM = [sys.executable, "-m", "unabridged"]


class Gateway:
    """The process."""

    def __init__(self, home: Home, upstream: Upstream, *flags: str) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, "gateway", "--json", "--upstream", f"anthropic={upstream.url}", *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(home),
        )
        assert self.process.stdout is not None
        self.said: dict[str, Any] = json.loads(self.process.stdout.readline())
        self.url: str = self.said["url"]

    def end(self, number: int = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(PATIENCE)


def environment(home: Home, **more: str) -> dict[str, str]:
    return {**os.environ, "UNABRIDGED_HOME": str(home.folder), **more}


def served(
    home: Home, act: Act, check: Callable[[Gateway, Upstream, httpx2.AsyncClient], Awaitable[None]]
) -> None:
    """Have a check made of a gateway's process, which is ended."""

    async def main() -> None:
        async with (
            asyncio.timeout(2 * PATIENCE),
            Upstream(act) as upstream,
            httpx2.AsyncClient(timeout=PATIENCE) as http,
        ):
            gateway = await asyncio.to_thread(Gateway, home, upstream)
            try:
                await check(gateway, upstream, http)
            finally:
                await asyncio.to_thread(gateway.end)

    asyncio.run(main())


async def served_in_time(
    gateway: Gateway, upstream: Upstream, http: httpx2.AsyncClient, messages: list[dict[str, Any]]
) -> httpx2.Response:
    """Send a request until the archive was quick enough; until then it goes out whole, and says so."""
    while True:
        answer = await http.post(gateway.url + MESSAGES, json=body(messages))
        assert answer.status_code == 200, answer.text
        if FAULT not in answer.headers:
            return answer
        assert json.loads(upstream.asked[-1].body) == body(messages)
        await asyncio.sleep(0.2)
        await http.post(gateway.url + MESSAGES, json=body(messages[:1]))


def explained(home: Home, upstream: Upstream, answer: httpx2.Response) -> str:
    """What the processes say of how a request went out, for a test that fails."""
    logs = [f"{file.name}:\n{file.read_text()}" for file in sorted(Path(home.layout.logs).glob("*.log"))]
    sizes = [len(asked.body) for asked in upstream.asked]
    return "\n".join([f"{answer.status_code} {dict(answer.headers)}", f"bodies: {sizes}", *logs])


def windows(home: Home) -> list[Mapping[str, Any]]:
    """What the archive tells of the conversations that passed."""
    with home.connect(scope="all") as client:
        return client.call("windows", {})["windows"]


def test_what_passes_is_in_the_archive_and_a_long_conversation_is_cut(home: Home) -> None:
    async def check(gateway: Gateway, upstream: Upstream, http: httpx2.AsyncClient) -> None:
        await served_in_time(gateway, upstream, http, talk(12))
        first = json.loads(upstream.asked[-1].body)["messages"]
        await served_in_time(gateway, upstream, http, [*talk(12), *said("The answer.", "more")])
        second = json.loads(upstream.asked[-1].body)["messages"]
        assert len(first) < len(talk(12))
        assert second[: len(first)] == first

    served(home, answers, check)
    found = windows(home)
    assert [(window["epoch"], window["host"]) for window in found] == [(1, "api")]
    assert found[0]["items"] >= len(talk(12)) + 3


def test_a_daemon_that_is_killed_in_the_middle_of_a_stream_costs_the_agent_nothing(home: Home) -> None:
    killed = list[int]()

    async def act(asked: Asked) -> None:
        events = anthropic("The ", "answer.", tokens=len(asked.body) // 4)
        await asked.head("200 OK", "content-type: text/event-stream", "transfer-encoding: chunked")
        for at, event in enumerate(events):
            if at == 2 and not killed:
                await asyncio.to_thread(until, lambda: "pid" in lock.read_owner(home.layout.lock))
                killed.append(home.pid)
                kill(home.pid)
            await asked.chunk(event)
        await asked.say(b"0\r\n\r\n")

    async def check(gateway: Gateway, upstream: Upstream, http: httpx2.AsyncClient) -> None:
        answer = await http.post(gateway.url + MESSAGES, json=body(talk(2)))
        assert answer.content.endswith(b'{"type": "message_stop"}\n\n')
        again = [*talk(2), *said("The answer."), *talk(12, "later")]
        answer = await served_in_time(gateway, upstream, http, again)
        sent = json.loads(upstream.asked[-1].body)["messages"]
        assert len(sent) < len(again), explained(home, upstream, answer)

    served(home, act, check)
    assert windows(home)[0]["items"] >= len(talk(2)) + 1 + len(talk(12)) + 1


def test_without_a_daemon_that_could_be_started_requests_pass_and_say_so(home: Home) -> None:
    home.folder.chmod(0o700)
    (home.folder / "run").write_text("no folder")

    async def check(gateway: Gateway, upstream: Upstream, http: httpx2.AsyncClient) -> None:
        answer = await http.post(gateway.url + MESSAGES, json=body(talk(12)))
        assert answer.headers[FAULT]
        assert json.loads(upstream.asked[0].body) == body(talk(12))

    served(home, answers, check)
    (home.folder / "run").unlink()


def in_the_way(home: Home, trouble: str) -> None:
    """Leave a home without a place for logs."""
    logs = Path(home.layout.logs)
    if trouble == "file":
        logs.write_text("no folder")
    elif trouble == "link":
        logs.symlink_to("/dev/null/nowhere")
    else:
        logs.mkdir(mode=0o700)
        (logs / "gateway.log").symlink_to("/dev/full")


@pytest.mark.parametrize("trouble", ["file", "link", "device"])
def test_where_nothing_can_be_logged_requests_pass_and_say_so(home: Home, trouble: str) -> None:
    in_the_way(home, trouble)
    program = (
        "import os, urllib.request as r;"
        "print(dict(r.urlopen(r.Request(os.environ['ANTHROPIC_BASE_URL'] + '/v1/messages',"
        ' b\'{"model": "m", "messages": [{"role": "user", "content": "hi"}]}\')).headers))'
    )

    async def main() -> subprocess.CompletedProcess[str]:
        async with Upstream(answers) as upstream:
            return await asyncio.to_thread(
                una_run, home, sys.executable, "-c", program, ANTHROPIC_BASE_URL=upstream.url
            )

    result = asyncio.run(main())
    assert result.returncode == 0, result.stderr
    assert f"'{FAULT}': 'log-unwritable'" in result.stdout
    assert result.stderr.startswith("una gateway: requests pass, but nothing is logged: ")
    assert result.stderr.count("\n") == 1


def test_its_address_is_for_its_owner_alone_and_gone_when_it_ends(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "address"

    async def main() -> None:
        async with Upstream(answers) as upstream:
            gateway = await asyncio.to_thread(Gateway, home, upstream, "--port-file", str(file))
            assert file.read_text() == gateway.url + "\n"
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
            assert await asyncio.to_thread(gateway.end) == 0
            assert not file.exists()

    asyncio.run(main())


def test_it_ends_with_its_standard_input_where_that_is_wanted(home: Home) -> None:
    async def main() -> None:
        async with Upstream(answers) as upstream:
            gateway = await asyncio.to_thread(Gateway, home, upstream, "--until-input-ends")
            assert gateway.process.stdin is not None
            gateway.process.stdin.close()
            assert await asyncio.to_thread(gateway.process.wait, PATIENCE) == 0

    asyncio.run(main())


# --- una run ----------------------------------------------------------------------------------------------------------


def una_run(home: Home, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, "run", *words],
        env=environment(home, **env),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_a_program_is_told_of_the_gateway_and_its_status_is_ours(home: Home) -> None:
    result = una_run(
        home, "--", "sh", "-c", "echo $ANTHROPIC_BASE_URL $OPENAI_BASE_URL; echo err >&2; exit 7"
    )
    anthropic_url, openai_url = result.stdout.split()
    assert anthropic_url.startswith("http://127.0.0.1:")
    assert openai_url == f"{anthropic_url}/v1"
    assert (result.stderr, result.returncode) == ("err\n", 7)
    assert una_run(home, "sh", "-c", "kill -9 $$").returncode == 128 + 9


def test_a_program_that_there_is_not_is_told(home: Home) -> None:
    result = una_run(home, "no-such-program-of-anybody")
    assert result.returncode == 2
    assert "no-such-program-of-anybody" in result.stderr


def test_the_gateway_ends_with_its_program_and_with_una_run_itself(home: Home, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    script = f"ps -o pid= --ppid $PPID > {note}; exec sleep 600"
    running = subprocess.Popen(
        [*PROGRAM, "run", "sh", "-c", script], env=environment(home), stdin=subprocess.DEVNULL
    )
    until(lambda: note.exists() and len(note.read_text().split()) >= 2, "the program did not start")
    children = [int(pid) for pid in note.read_text().split()]
    ours = [pid for pid in children if alive(pid)]
    running.send_signal(signal.SIGTERM)
    assert running.wait(PATIENCE) == 128 + signal.SIGTERM
    until(lambda: not any(alive(pid) for pid in ours), "something is left")


def test_a_gateway_that_dies_is_followed_by_one_at_the_same_address_and_no_command_line_tells_any(
    home: Home, tmp_path: Path
) -> None:
    note, there = tmp_path / "url", "http://127.0.0.1:9/of-the-user-alone"
    script = f"echo $ANTHROPIC_BASE_URL > {note}; exec sleep 600"
    running = subprocess.Popen(
        [*PROGRAM, "run", "sh", "-c", script],
        env=environment(home, ANTHROPIC_BASE_URL=there),
        stdin=subprocess.DEVNULL,
    )

    def words(pid: int) -> bytes:
        return Path(f"/proc/{pid}/cmdline").read_bytes()

    def gateway() -> int:
        return next(pid for pid in children(running.pid) if b"until-input-ends" in words(pid))

    until(lambda: note.exists() and note.read_text().endswith("\n"), "the program did not start")
    url, first = note.read_text().strip(), gateway()
    for _ in range(2):
        pid = gateway()
        assert b"of-the-user-alone" not in words(pid)
        assert url.rpartition("/")[2].encode() not in words(pid)
        kill(pid)
        answer = httpx2.get(f"{url}/v1/models", headers={"anthropic-version": "1"}, timeout=PATIENCE)
        assert (answer.status_code, answer.json()["error"]["code"]) == (502, "upstream-unreachable")
    last = gateway()
    assert last != first
    running.terminate()
    running.wait(PATIENCE)
    until(lambda: not alive(last), "the gateway is left")


def test_the_gateway_ends_when_una_run_is_killed(home: Home, tmp_path: Path) -> None:
    note = tmp_path / "url"
    script = f"echo $ANTHROPIC_BASE_URL > {note}; exec sleep 600"
    running = subprocess.Popen(
        [*PROGRAM, "run", "sh", "-c", script], env=environment(home), stdin=subprocess.DEVNULL
    )
    until(lambda: note.exists() and note.read_text().endswith("\n"), "the program did not start")
    url = note.read_text().strip()
    kill(running.pid)
    running.wait(PATIENCE)

    def silent() -> bool:
        try:
            httpx2.get(url + "/", timeout=PATIENCE)
        except httpx2.TransportError:
            return True
        return False

    until(silent, "the gateway still listens")


def test_an_address_that_was_set_before_is_where_requests_go(home: Home) -> None:
    async def main() -> str:
        async with Upstream(answers) as upstream:
            program = (
                "import os, urllib.request as r;"
                "print(r.urlopen(r.Request(os.environ['ANTHROPIC_BASE_URL'] + '/v1/messages',"
                ' b\'{"model": "m", "messages": [{"role": "user", "content": "hi"}]}\')).read().decode())'
            )
            result = await asyncio.to_thread(
                una_run, home, sys.executable, "-c", program, ANTHROPIC_BASE_URL=upstream.url
            )
            assert result.returncode == 0, result.stderr
            return result.stdout

    assert "answer." in asyncio.run(main())


def test_within_a_program_that_was_run_so_there_is_no_second_gateway(home: Home) -> None:
    inner = f"{sys.executable} -m unabridged run -- sh -c 'echo $ANTHROPIC_BASE_URL'"
    result = una_run(home, "sh", "-c", f"echo $ANTHROPIC_BASE_URL; {inner}")
    first, second = result.stdout.split()
    assert first == second
