"""una bench: measure this machine."""

from __future__ import annotations

import dataclasses
import signal
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

from unabridged.bench import (
    admission,
    footprint,
    gateway,
    goals,
    hint,
    hook,
    importing,
    machine,
    mcp,
    recall,
    report,
    rpc,
    search,
    semantic,
    window,
)
from unabridged.bench.setup import SEED, Result, Setup
from unabridged.errors import InvalidInput, PathNotFound

# Each with the size that takes about a minute: turns, megabytes, windows, pings, starts, messages.
BENCHES: Mapping[str, tuple[Callable[[Setup], Result], int]] = {
    "admission": (admission.measure, 2_000),
    "import": (importing.measure, 100),
    "search": (search.measure, 10_000),
    "recall": (recall.measure, 10_000),
    "hint": (hint.measure, 10_000),
    "rpc": (rpc.measure, 5_000),
    "mcp": (mcp.measure, 20),
    "hook": (hook.measure, 200),
    "memory": (footprint.measure, 10_000),
    "window": (window.measure, 1_000),
    "gateway": (gateway.measure, 1_000),
    "semantic": (semantic.measure, 200),
}
NAMED_ONLY = ("semantic",)  # it needs a model, which few machines have
LEAST_SIZE, MOST_SIZE = 1, 10_000_000


class Screen(Protocol):
    """Where a result is written."""

    def line(self, text: str = "") -> None:
        """Write a line of an answer."""
        ...

    def json(self, value: Any) -> None:
        """Write one JSON document."""
        ...

    def note(self, text: str = "") -> None:
        """Write a message."""
        ...


class Arguments(Protocol):
    """What the command line gave."""

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment."""
        ...

    @property
    def screen(self) -> Screen:
        """The screen."""
        ...

    def flag(self, name: str) -> bool:
        """Return whether a flag was given."""
        ...

    def text(self, name: str, default: str = "") -> str:
        """Return a text."""
        ...

    def number(self, name: str, default: int = 0) -> int:
        """Return a whole number."""
        ...

    def list(self, name: str) -> list[str]:
        """Return several texts."""
        ...


def run(arguments: Arguments) -> int:
    """Run the named benches (none: all that need no model) and draw or write what they found."""
    names = arguments.list("name") or [name for name in BENCHES if name not in NAMED_ONLY]
    for name in names:
        if name not in BENCHES:
            raise InvalidInput(f"there is no bench `{name}`", hint=f"There are: {', '.join(BENCHES)}.")
    results = list[dict[str, Any]]()
    with terminated_as_interrupted():
        for name in names:
            results.append(_measured(name, arguments))
            if not arguments.flag("json"):
                for line in report.lines(results[-1]):
                    arguments.screen.line(line)
                arguments.screen.line()
    if arguments.flag("json"):
        arguments.screen.json(results[0] if len(names) == 1 else results)
    return 0


def _measured(name: str, arguments: Arguments) -> dict[str, Any]:
    measure, size = BENCHES[name]
    before = machine.describe()
    if before["busy"]:
        arguments.screen.note(
            f"The machine is busy (load {before['load'][0]}): only ratios will mean something, and not all."
        )
    started = time.monotonic()

    def tell(text: str) -> None:
        arguments.screen.note(f"{time.monotonic() - started:6.1f} s  {name}: {text}")

    found = measure(_setup(name, arguments, size, tell))
    seconds = round(time.monotonic() - started, 1)
    return assembled(name, found, {**before, "seconds": seconds})


def assembled(name: str, found: Result, where: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result as `--json` prints it."""
    values = dataclasses.asdict(found)
    return {
        "bench": name,
        "figures": values["figures"],
        "rival": values["rival"],
        "ratio": values["ratio"],
        "machine": dict(where),
        "goals": goals.judge(name, values, found.conditions),
        "conditions": found.conditions,
        "notes": found.notes,
    }


def _setup(name: str, arguments: Arguments, size: int, tell: Callable[[str], None]) -> Setup:
    wanted = arguments.number("size", size)
    if not LEAST_SIZE <= wanted <= MOST_SIZE:
        raise InvalidInput(f"--size is {LEAST_SIZE} to {MOST_SIZE:,}", field="size", value=wanted)
    source = tuple(Path(item).expanduser().absolute() for item in arguments.list("from"))
    if source and name != "import":
        raise InvalidInput("only `una bench import` takes --from", hint="The others make their own text.")
    for path in source:
        if not path.exists():
            raise PathNotFound(f"there is nothing at {path}")
    keep = arguments.text("keep")
    folder = Path(keep).expanduser().absolute() if keep else None
    return Setup(wanted, arguments.number("seed", SEED), folder, source, tell, arguments.environ)


@contextmanager
def terminated_as_interrupted() -> Generator[None]:
    """Let a request to end leave as an interrupt does, so that daemons end and folders go."""

    def leave(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
