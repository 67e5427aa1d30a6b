"""An agent behind a gateway, with everything that passed on either side of it, and what is to hold of that."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tests.daemon.living import Home, kill, until
from tests.support import provider_anthropic, provider_openai
from tests.support.provider import Provider, Request
from tests.support.provider_meter import Meter
from tests.support.recorder import Recorder
from tests.support.story import Story, answers
from tests.support.talks import HOSTS, Host, PiHost, Talk
from tests.support.talks_programs import SDKS, AiderHost, SdkHost
from unabridged.daemon import lock
from unabridged.daemon.client import Client
from unabridged.window.messages import Kind, Part
from unabridged.window.providers.adapters import adapter_for
from unabridged.window.providers.contract import Request as Sent
from unabridged.window.providers.sidecalls import Aside, aside

# Every agent and program by its name: made from a folder and a base URL.
AGENTS: Mapping[str, Callable[[Path, str], Any]] = {
    **HOSTS,
    "aider": AiderHost,
    **{f"sdk-{form}": partial(SdkHost, form) for form in SDKS},
}
ENDS_WITHIN = 30  # seconds
WHOLE = 100_000  # tokens that one recall gives at most
# What a marker names: one text, or a turn in a table of contents.
_NAMED = re.compile(r"(?:Recall|Archived as) `(window:[0-9a-f]{12}:[0-9a-f]{16}[-#0-9]*)`")
_CONTENTS = re.compile(r"Recall `(window:[0-9a-f]{12}):ID`")


class Gateway:
    """A gateway's process for the archive at a home, in a folder."""

    def __init__(self, home: Home, cwd: Path, *upstreams: str) -> None:
        self._file, self.cwd = home.folder / "gateway.port", cwd
        self._file.unlink(missing_ok=True)
        command = [sys.executable, "-m", "unabridged", "gateway", "--port", "0", "--port-file", self._file]
        for upstream in upstreams:
            command += ["--upstream", upstream]
        self._log = home.folder / "gateway.out"
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [str(part) for part in command], cwd=cwd, env=environment(home), stdout=log, stderr=log
            )
        until(self._listens, "the gateway did not listen")

    @property
    def base(self) -> str:
        """The base URL with its token."""
        return self._file.read_text().strip().rstrip("/")

    def said(self) -> str:
        """What it wrote."""
        return self._log.read_text()

    def _listens(self) -> bool:
        assert self.process.poll() is None, self.said()
        return self._file.exists() and self._file.read_text().strip() != ""

    def end(self) -> None:
        """End it as a person would."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(ENDS_WITHIN)

    def kill(self) -> None:
        """Kill it."""
        kill(self.process.pid)
        self.process.wait()


def environment(home: Home) -> dict[str, str]:
    """What a process of ours needs to find the home and this code."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return {**kept, "UNABRIDGED_HOME": str(home.folder), "LANG": "C.UTF-8"}


@dataclass
class Session:
    """One agent in one conversation behind a gateway, the provider behind that, and the answers so far."""

    host: Host
    story: Story
    provider: Provider
    meter: Meter
    home: Home | None = None
    gateway: Gateway | None = None
    recorder: Recorder | None = None
    said: dict[int, str] = field(default_factory=dict[int, str])
    talk: Talk | None = None
    ends: list[int] = field(
        default_factory=list[int]
    )  # numbers of the last requests of processes that have ended

    def go_on(self, first: int, last: int) -> None:
        """Have the user say the prompts from one step to before another."""
        self.talk = self.talk or self.host.talk()
        for number in range(first, last):
            self.said |= answers([self.talk.say(self.story.prompts[number])])

    def take_up(self, session: str = "", *, fork: bool = False, kill: bool = False) -> None:
        """End the host's process and have a new one go on, with a conversation or with a copy of it."""
        assert self.talk is not None
        session = session or self.talk.session
        if self.recorder is not None:
            self.ends.append(len(self.own()) - 1)
        if kill:
            self.talk.kill()
        else:
            self.talk.end()
        self.talk = self.host.talk(session, fork=fork)

    def restart_gateway(self) -> None:
        """Kill the gateway and start another one: its address changes."""
        assert self.gateway is not None
        assert self.home is not None
        assert self.recorder is not None
        self.gateway.kill()
        self.gateway = Gateway(self.home, self.gateway.cwd, *upstreams(self.provider))
        self.recorder.target = self.gateway.base

    def kill_daemon(self) -> None:
        """Kill the daemon, once there is one."""
        home = self.home
        assert home is not None
        until(lambda: lock.held(home.layout.lock) and "pid" in lock.read_owner(home.layout.lock))
        kill(home.pid)

    def kill_daemon_soon(self, seconds: float) -> threading.Timer:
        """Kill the daemon while something is under way."""
        timer = threading.Timer(seconds, self.kill_daemon)
        timer.start()
        return timer

    def own(self) -> list[Request]:
        """What the agent sent of its conversations, as the gateway got it."""
        assert self.recorder is not None
        return [request for request in self.recorder.requests if "count_tokens" not in request.path]


@contextmanager
def behind(home: Home, folder: Path, name: str, steps: int, window: int) -> Iterator[Session]:
    """An agent behind a gateway, in a story of so many steps, its model's window of so many tokens."""
    meter, stories = Meter(window), list[Story]()
    with ExitStack() as stack:
        model = Provider(
            [provider_anthropic, provider_openai], model=lambda turn: stories[0].model(turn), meter=meter
        )
        provider = stack.enter_context(model)
        project = folder  # not where the host works
        project.mkdir(parents=True, exist_ok=True)
        gateway = Gateway(home, project, *upstreams(provider))
        recorder = stack.enter_context(Recorder(gateway.base))
        host = _host(name, folder, recorder.url, window)
        session = Session(host, _story(host, steps, stories), provider, meter, home, gateway, recorder)
        stack.callback(lambda: session.gateway and session.gateway.end())
        stack.callback(lambda: session.talk and session.talk.end())
        yield session


def _host(name: str, folder: Path, url: str, window: int) -> Any:
    """The agent as `una run` starts it; those that can be told believe the window to be what it is."""
    if name == "pi":
        return PiHost(folder, url, window=window, extended=True)
    return HOSTS[name](folder, url, window=window) if name in HOSTS else AGENTS[name](folder, url)


def alone(folder: Path, name: str, steps: int) -> Session:
    """The same agent in the same story without a gateway, its model's window without an end; ended."""
    meter, stories = Meter(), list[Story]()
    with Provider(
        [provider_anthropic, provider_openai],
        model=lambda turn: stories[0].model(turn),
        meter=meter,
        keep=False,
    ) as provider:
        host = AGENTS[name](folder, provider.url)
        session = Session(host, _story(host, steps, stories), provider, meter)
        try:
            session.go_on(0, steps)
        finally:
            if session.talk is not None:
                session.talk.end()
        return session


def _story(host: Host, steps: int, stories: list[Story]) -> Story:
    story = Story(steps, host if hasattr(host, "read") else None)
    story.lay_out(host.project)
    stories.append(story)
    return story


def upstreams(provider: Provider) -> list[str]:
    """The flags for a gateway whose provider is this one."""
    return [f"anthropic={provider.url}", f"openai={provider.url}/v1"]


# --- what is to hold --------------------------------------------------------------------------------------------------


def read(request: Request) -> Sent:
    """A request as the window reads it."""
    adapter = adapter_for(request.path)
    assert adapter is not None, request.path
    return adapter.read(request.body)


def compactions(requests: Sequence[Request]) -> int:
    """How many of the requests ask for a compaction."""
    return sum(aside(read(request).conversation) is Aside.COMPACTION for request in requests)


def texts(session: Session) -> Iterator[tuple[str, str]]:
    """Each text that the agent sent, by its name in its conversation without the address."""
    seen, own = set[str](), session.own()
    for place in sorted({*session.ends, len(own) - 1}):
        for item in read(own[place]).conversation.items:
            if item.key in seen:
                continue
            seen.add(item.key)
            for at, part in enumerate(item.parts):
                if part.text and part.kind in (Kind.TEXT, Kind.RESULT, Kind.CALL):
                    yield item.name(at), spoken(part)


def spoken(part: Part) -> str:
    """What the archive has of a part: the text that is said, or a call's arguments."""
    return part.text


def named(requests: Sequence[Request]) -> set[str]:
    """The names that stand in markers of what was sent to the provider."""
    return {name for request in requests for name in _NAMED.findall(request.text())}


def addresses(requests: Sequence[Request]) -> set[str]:
    """The addresses of conversations in tables of contents and markers of what was sent to the provider."""
    found = {address for request in requests for address in _CONTENTS.findall(request.text())}
    return found | {name.rpartition(":")[0] for name in named(requests)}


def recalled(client: Client, name: str) -> str | None:
    """The text by a name, None where there is none; all of it, for no text of a story is longer than an answer."""
    said: dict[str, Any] = client.call(
        "recall", {"target": name, "max_tokens": WHOLE, "counts": False, "scope": "all"}
    )
    return said["text"] if said["status"] == "resolved" else None


def lost(session: Session, client: Client, *, pick: Callable[[str], bool] = lambda _: True) -> list[str]:
    """What of all that the agent sent and the provider did not get in the end cannot be recalled byte for byte."""
    wrong = list[str]()
    where = addresses(session.provider.requests)
    shown = "\n".join(last.text() for last in session.provider.requests[-1:])
    # A host that is started again sends some messages in another form: one that passed while the archive was away and
    # is not sent again has no name, but its text has one in the other form.
    names = dict[str, list[str]]()
    for name, text in texts(session):
        if pick(name) and not _shown(text, shown):
            names.setdefault(text, []).append(name)
    for text, several in names.items():
        got = [recalled(client, f"{address}:{name}") for address in where for name in several]
        if text not in got:
            wrong.append(f"{several}: {text[:60]!r} is {[str(one)[:60] for one in got]!r}")
    return wrong


def _shown(text: str, body: str) -> bool:
    """Whether a text stands in a body, as a string or (the arguments of a call) as the object that it describes."""
    if json.dumps(text, ensure_ascii=False)[1:-1] in body:
        return True
    return text.startswith("{") and json.dumps(json.loads(text), ensure_ascii=False) in body
