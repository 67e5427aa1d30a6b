"""una eval: measure how well retrieval finds what answers a question."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from unabridged.daemon import config
from unabridged.daemon.prices import price_table
from unabridged.daemon.vectors import INSTALLED
from unabridged.errors import InvalidInput, ModelMissing
from unabridged.eval import asking, cases, economy, loaders, plotting, reporting, routing, running
from unabridged.eval.living import NO_MODELS
from unabridged.eval.model import PROTOCOLS, RemoteModel

FLOORS = ("fts5", "none")
NEVER, FROZEN, ROUTING, ECONOMY = "never", "frozen", "routing", "economy"
MODEL_SECONDS = 120.0  # for one answer of a language model


class Screen(Protocol):
    """Where a result is written."""

    @property
    def width(self) -> int:
        """Columns of the terminal."""
        ...

    def style(self, text: str, *styles: str) -> str:
        """Return a text in a colour, where colours are shown."""
        ...

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
    def screen(self) -> Screen:
        """The screen."""
        ...

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment."""
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
        """Return what was given several times."""
        ...


def run(arguments: Arguments) -> int:
    """Run a suite and draw or write what it found."""
    against = arguments.text("against", FLOORS[0])
    if against not in FLOORS:
        raise InvalidInput("there is no floor of that name", field="against", known=list(FLOORS))
    if arguments.text("suite") == ECONOMY:
        return _economy(arguments)
    report = _report(arguments, arguments.text("suite"), arguments.list("path"), floor=against == FLOORS[0])
    if arguments.flag("json"):
        arguments.screen.json(report)
        return 0
    for line in lines(report):
        arguments.screen.line(line)
    return 0


def _economy(arguments: Arguments) -> int:
    screen, target, prices = arguments.screen, arguments.text("plot"), arguments.text("prices")
    plotting.check(target)
    table = economy.table_of(prices) if prices else price_table(config.load(arguments.environ).values)
    drawn = economy.Curves() if target else None
    report = economy.run(arguments.list("path"), arguments.number("window"), table, screen.note, drawn)
    figures = plotting.figures(drawn, report["window"]) if drawn else []
    if target and target != plotting.HERE:
        Path(target).expanduser().write_text(plotting.svg(figures), encoding="utf-8")
        screen.note(f"plotted to {target}")
    if arguments.flag("json"):
        screen.json(report)
        return 0
    for line in economy.lines(report):
        screen.line(line)
    if target == plotting.HERE:
        screen.line()
        for line in plotting.drawn(figures, screen.width, screen.style):
            screen.line(line)
    return 0


def _report(arguments: Arguments, suite: str, names: list[str], *, floor: bool) -> dict[str, Any]:
    semantic = arguments.text("semantic", NEVER)
    settings = _semantic(arguments) if semantic != NEVER else NO_MODELS
    tell = arguments.screen.note
    if suite == FROZEN:
        return running.run(names, time.time(), tell, floor=floor, semantic=semantic, settings=settings)
    if suite == ROUTING:
        return _routing(arguments, names)
    if len(names) != 1:
        raise InvalidInput("this data set is given by one path", field="path", suite=suite)
    data = loaders.load(suite, Path(names[0]).expanduser())
    asked = asking.ask(data, tell, floor=floor, semantic=semantic, settings=settings)
    return reporting.report(data.name, data.measures, asked)


def _routing(arguments: Arguments, names: list[str]) -> dict[str, Any]:
    if names:
        raise InvalidInput("this suite takes no names", field="path")
    endpoint, name = arguments.text("endpoint"), arguments.text("model")
    if bool(endpoint) != bool(name):
        raise InvalidInput("a model is given by --endpoint with --model")
    key = arguments.environ.get(arguments.text("key-env"), "")
    protocol = arguments.text("protocol", PROTOCOLS[0])
    model = RemoteModel(endpoint, name, protocol, key, MODEL_SECONDS) if endpoint else None
    suite = cases.load(ROUTING, time.time())
    return routing.run(suite, model, name, arguments.screen.note, arguments.environ)


def _semantic(arguments: Arguments) -> str:
    """Return the user's own settings of the vectors as the configuration of another home, which has no models."""
    found = config.load(arguments.environ)
    values = {name: found.values[name] for name in found.values if name.startswith("semantic.")}
    if not values["semantic.url"] and not values["semantic.model"]:
        values["semantic.model"] = str(Path(found.layout.models) / INSTALLED)
    if not values["semantic.url"] and not Path(values["semantic.model"]).expanduser().is_dir():
        raise ModelMissing("no sentence model is installed")
    # What JSON writes of texts, numbers and truth values is TOML, too.
    rows = (f"{name.partition('.')[2]} = {json.dumps(value)}" for name, value in values.items())
    return "\n".join(("[semantic]", *rows, ""))


def lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield a report, or each part of it, as tables: percentages, 95 % intervals, the floor in the same run."""
    if "suites" in report:
        for part in report["suites"].values():
            yield from lines(part)
            yield ""
        return
    yield f"{report['suite']}: {report['n']:,} questions"
    yield ""
    yield f"{'measure':<24}{'ours':>8}  {'95 %':<16}{'fts5':>8}  {'difference':<24}".rstrip()
    for name, value in report["metrics"].items():
        low, high = report["intervals"][name]
        floor, gain = report["floor"].get(name), report["gain"].get(name)
        beside = ""
        if floor is not None and gain is not None:
            bounds = f"[{gain['interval'][0]:+.1f}, {gain['interval'][1]:+.1f}]"
            beside = f"{floor:>8.1f}  {gain['difference']:+.1f} {bounds}"
        yield f"{name:<24}{value:>8.1f}  {f'[{low:.1f}, {high:.1f}]':<16}{beside}".rstrip()
    yield ""
    if report.get("missing"):
        yield f"missing: {'; '.join(report['missing'])}"
    for name, figures in report["categories"].items():
        shown = "  ".join(f"{key} {value:.1f}" for key, value in figures.items() if key != "n")
        yield f"{name} ({figures['n']}): {shown}"
