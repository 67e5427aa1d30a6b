"""una status: how things are, in a few lines."""

from __future__ import annotations

from unabridged.cli import human
from unabridged.cli.table import draw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from unabridged.cli.arguments import Arguments
    from unabridged.cli.screen import Screen

    Facts = Mapping[str, Any]


HOOKED = frozenset(("claude-code", "codex", "opencode", "pi"))  # hosts with hooks or an extension of ours


def run(arguments: Arguments) -> int:
    """Show the state of archive, index, daemon, hosts, with every problem."""
    answer = arguments.client().call("status", {})
    screen = arguments.screen
    if arguments.flag("json"):
        screen.json(answer)
    else:
        _draw(screen, answer)
    return 0 if answer["ok"] else 1


def _draw(screen: Screen, answer: Facts) -> None:
    state = screen.style("ok", "green") if answer["ok"] else screen.style("not ok", "red")
    screen.line(f"unabridged {answer['version']}: {state}")
    for label, text in _lines(answer):
        screen.line(f"{screen.style(label.ljust(9), 'dim')}{screen.archived(text)}")
    draw_hosts(screen, answer)
    if left := unhooked(answer):
        screen.note(
            f"Without hooks, archived while a daemon runs: {screen.archived(', '.join(left))}. "
            "`una daemon login on` keeps one running."
        )
    draw_problems(screen, answer)


def _lines(answer: Facts) -> Iterator[tuple[str, str]]:
    store: Facts = answer.get("store") or {}
    yield "archive", archive(store)
    index: Facts = answer.get("index") or {}
    behind = int(index.get("behind") or 0)
    left = f", {human.plural(behind, 'log entry', 'log entries')} behind" if behind else ""
    yield "index", f"{index.get('state') or 'unknown'}{left}"
    semantic: Facts = index.get("semantic") or {}
    if semantic.get("state", "off") != "off":
        yield "meaning", meaning(semantic)
    daemon: Facts = answer.get("daemon") or {}
    yield "daemon", f"process {daemon.get('pid')}, up {human.span(float(daemon.get('uptime_seconds') or 0))}"
    if daemon.get("home"):
        yield "home", str(daemon["home"])
    if daemon.get("outbox"):
        yield "outbox", outbox(daemon["outbox"])
    disk: Facts = daemon.get("disk") or {}
    if "free_bytes" in disk:
        yield "disk", f"{human.size(disk['free_bytes'])} free"


def meaning(semantic: Facts) -> str:
    """Return how the vectors are in one line."""
    told = [f"{semantic['state']}", human.plural(int(semantic.get("spans") or 0), "span")]
    if semantic.get("model"):
        told.append(str(semantic["model"]))
    if behind := int(semantic.get("behind") or 0):
        told.append(f"{human.plural(behind, 'log entry', 'log entries')} behind")
    if semantic.get("error"):
        told.append(str(semantic["error"]))
    return ", ".join(told)


def outbox(found: Facts) -> str:
    """Return what hooks left, and what they hold back from, in one line."""
    waiting, held = int(found.get("waiting") or 0), int(found.get("quarantined") or 0)
    told = [f"{human.plural(waiting, 'event')} waiting" if waiting else "empty"]
    if held:
        told.append(f"{held} in quarantine")
    hooks: Facts = found.get("hooks") or {}
    if hooks.get("open"):
        told.append("hooks hold back")
    return ", ".join(told)


def archive(store: Facts) -> str:
    """Return what is archived in one line."""
    counts = [
        human.plural(int(store[name]), name.removesuffix("s"))
        for name in ("events", "documents")
        if name in store
    ]
    if "raw_bytes" in store and "bytes_on_disk" in store:
        counts.append(
            f"{human.size(store['raw_bytes'])} of transcripts in {human.size(store['bytes_on_disk'])}"
        )
    if store.get("engine"):
        counts.append(str(store["engine"]))
    return ", ".join(counts)


def _elsewhere(host: Mapping[str, Any]) -> str:
    """Say where the sessions of a host are that has no place of its own here."""
    if not host.get("roots"):
        return "its exports, where you put them"
    return "in folders that you named"


def draw_hosts(screen: Screen, answer: Facts) -> None:
    """Write each host with what is archived of it and where it keeps its sessions."""
    rows: list[tuple[str, str, str]] = []
    absent: list[str] = []
    for host in answer.get("hosts") or ():
        roots = [str(root["path"]) for root in host.get("roots") or () if root.get("exists")]
        count = int(host.get("transcripts") or 0)
        if not count and not roots:
            absent.append(str(host["host"]))
            continue
        shown = ", ".join(screen.archived(root) for root in roots) or _elsewhere(host)
        rows.append((screen.archived(str(host["host"])), human.number(count), shown))
    if rows:
        draw(screen, ("host", "archived", "where it keeps its sessions"), rows, right=(1,), flexible=2)
    if absent:
        screen.line(screen.style(f"nothing here of {screen.archived(', '.join(absent))}", "dim"))


def unhooked(answer: Facts) -> list[str]:
    """Return the hosts here that tell nobody of a turn's end: they are read while a daemon runs."""
    return [
        str(host["host"])
        for host in answer.get("hosts") or ()
        if host["host"] not in HOOKED and any(root.get("exists") for root in host.get("roots") or ())
    ]


def draw_problems(screen: Screen, answer: Facts) -> None:
    """Write each problem with what can be done about it."""
    for problem in answer.get("problems") or ():
        screen.tell("problem:", str(problem.get("message") or problem.get("code") or problem), "yellow")
        if problem.get("hint"):
            screen.tell("hint:", str(problem["hint"]), "yellow")
