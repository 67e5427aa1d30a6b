"""una run: a client with a gateway of its own, for as long as it runs; nothing of the user's is edited.

The client is in the foreground with our terminal, our folder and our standard streams, as if it had been started
without us. The gateway is in a session of its own, so that a key pressed there ends the client and not the gateway.
"""

from __future__ import annotations

import json
import selectors
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Protocol

from unabridged.daemon import config
from unabridged.errors import InternalError, InvalidInput, UnabridgedError, from_dict
from unabridged.gateway import clients, handed

START_SECONDS = 30.0  # that the gateway may take to listen
FOLLOWING_SECONDS = 0.2  # from the end of a gateway that was not told to end to the next one
FOLLOWING_MOST = 20  # of them: one that ends again and again has a reason
END_SECONDS = 10.0  # that it may take to end behind its client
PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
OF_THE_TERMINAL = (signal.SIGINT, signal.SIGQUIT)  # the terminal sends them to the client, too
KILLED = 128  # what a shell adds to the signal that ended a program


class Arguments(Protocol):
    """What the command line gave."""

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment."""
        ...

    def list(self, name: str) -> list[str]:
        """Return the values of an option or positional that can be given several times."""
        ...


def run(arguments: Arguments) -> int:
    """Run a client behind a gateway and return its exit status; raise `InvalidInput` where there is no such program."""
    words = arguments.list("command")
    if shutil.which(words[0], path=arguments.environ.get("PATH")) is None:
        raise InvalidInput(
            f"there is no program {words[0]!r}", hint="Install it, or give its whole path.", field="command"
        )
    outer = arguments.environ.get(clients.OURS, "")
    if outer and outer == arguments.environ.get(clients.ANTHROPIC_VARIABLES[0]):
        return _run(
            clients.Launch(tuple(words), arguments.environ)
        )  # what passes that gateway passes one already
    folder = trusted(words, arguments.environ, Path.cwd())
    urls = clients.upstreams(words, arguments.environ, folder)
    upstreams = [*(f"{name}={url}" for name, url in urls.items()), *arguments.list("upstream")]
    gateway = _Gateway(upstreams, clients.host(words), arguments.environ)
    try:
        launch = clients.launch(words, arguments.environ, gateway.base, folder)
        return _run(launch)
    finally:
        gateway.end()


def trusted(words: Sequence[str], environ: Mapping[str, str], folder: Path) -> Path | None:
    """Return the folder that a client works in, None where no settings are there or the user does not trust them."""
    if clients.host(words) not in clients.OF_PROJECTS:
        return None
    return folder if config.load(environ).trusted_root(str(folder)) else None


class _Gateway:
    """The gateway's process; it ends when we let go of its standard input, however we end."""

    def __init__(self, upstreams: list[str], host: str, environ: Mapping[str, str]) -> None:
        words = [sys.executable, "-P", "-m", "unabridged", "gateway", "--until-input-ends", "--json"]
        if host:
            words += ["--host", host]
        self._words, self._listener = words, handed.listening()
        self._environ = environ
        self._handed = handed.offered(self._listener, upstreams)
        self._ends, self._starting = threading.Event(), threading.Lock()
        self._process = self._started()
        self.base = self._heard()
        threading.Thread(target=self._keep, daemon=True).start()

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**self._environ, **self._handed.variables()},
            pass_fds=(self._handed.descriptor,),
            start_new_session=True,
        )

    def _keep(self) -> None:
        """Have another one follow where one ends before its client; meanwhile connections wait at the socket."""
        for _ in range(FOLLOWING_MOST):
            self._process.wait()
            if self._ends.wait(FOLLOWING_SECONDS):
                return
            with self._starting:
                if self._ends.is_set():
                    return
                self._process = self._started()
        self._process.wait()
        self._listener.close()

    def _heard(self) -> str:
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            line = self._process.stdout.readline() if selector.select(START_SECONDS) else b""
        try:
            said = json.loads(line)
        except ValueError:
            self.end()
            raise InternalError("the gateway did not start") from None
        if "url" not in said:
            self.end()
            raise _told(said)
        if "fault" in said:
            sys.stderr.write(f"{said['fault']}\n")
        return said["url"]

    def end(self) -> None:
        """Have it write what it still holds, and end."""
        with self._starting:
            self._ends.set()
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _told(said: dict[str, object]) -> UnabridgedError:
    error = said.get("error")
    return from_dict(error if isinstance(error, dict) else {})  # pyright: ignore[reportUnknownArgumentType]


def _run(launch: clients.Launch) -> int:
    """Run a client to its end, whatever is sent to us meanwhile."""
    client: subprocess.Popen[bytes] | None = None
    early = list[int]()  # signals that came before there was a client

    def pass_on(number: int, _: FrameType | None) -> None:
        if client is None:
            early.append(number)
        elif client.poll() is None:
            client.send_signal(number)

    heard = dict.fromkeys(PASSED_ON, pass_on) | dict.fromkeys(OF_THE_TERMINAL, _heard_by_client)
    # What we ignore (`nohup`) a client ignores, too: it would lose that by a handler of ours.
    before = {
        number: signal.signal(number, handler)
        for number, handler in heard.items()
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        client = _started(launch)
        for number in early:
            client.send_signal(number)
        status = client.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return KILLED - status if status < 0 else status


def _started(launch: clients.Launch) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(launch.words, env=dict(launch.environ))
    except OSError as error:
        raise InvalidInput(f"{launch.words[0]} cannot be run: {error.strerror}", field="command") from error


def _heard_by_client(_number: int, _frame: FrameType | None) -> None:
    """Leave a key of the terminal to the client, which it was sent to as well."""
