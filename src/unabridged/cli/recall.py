"""una recall: give an exact passage back."""

from __future__ import annotations

from unabridged.cli import human
from unabridged.errors import InvalidInput, NotFound, OutOfScope, UnabridgedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from unabridged.cli.arguments import Arguments
    from unabridged.cli.screen import Screen

# Statuses that come without a passage, and the error each of them is for a shell.
_ERRORS: dict[str, UnabridgedError] = {
    "missing": NotFound(
        "nothing in the archive has that name", hint="`una search` finds passages by their words."
    ),
    "expired": NotFound(
        "that passage has expired", hint="Retention removed it; `una sessions` lists what is kept."
    ),
    "erased": NotFound("that passage was erased", hint=""),
    "lease-expired": NotFound("that locator has expired", hint="Search again: a new hit carries a new one."),
    "locator-invalid": InvalidInput(
        "that is not a locator of this archive", hint="Search again for a valid one."
    ),
    "out-of-scope": OutOfScope(),
}


def run(arguments: Arguments) -> int:
    """Ask for the passage; on a terminal draw it with its provenance, in a pipe write its bytes."""
    asked: dict[str, Any] = {"target": arguments.text("target")}
    for name, field in (("neighbors", "neighbors"), ("max-tokens", "max_tokens")):
        if arguments.given(name):
            asked[field] = arguments.number(name)
    if arguments.given("cursor"):
        asked["cursor"] = arguments.text("cursor")
    for name in ("whole", "envelope"):
        if arguments.flag(name):
            asked[name] = True
    answer = arguments.client().call("recall", asked)
    problem = problem_of(answer)
    if arguments.flag("json"):
        arguments.screen.json(answer)
        return problem.exit_code if problem else 0
    if problem is not None:
        raise problem
    _draw(arguments, answer)
    return 0


def problem_of(answer: Mapping[str, Any]) -> UnabridgedError | None:
    """Return the error that a status without a passage is for a shell."""
    return _ERRORS.get(str(answer["status"]))


def _draw(arguments: Arguments, answer: Mapping[str, Any]) -> None:
    screen = arguments.screen
    text = (
        str(answer.get("envelope") or answer["text"]) if arguments.flag("envelope") else str(answer["text"])
    )
    if screen.terminal:
        for line in provenance(answer):
            screen.line(screen.style(screen.archived(line), "dim"))
        screen.line(screen.archived(text.removesuffix("\n")))
    else:
        screen.raw(text.encode("utf-8", "replace"))
    _close(screen, answer)


def provenance(answer: Mapping[str, Any]) -> list[str]:
    """Return where a passage comes from, in a few lines."""
    start, end = answer["bytes"]
    place = f"bytes {human.number(int(start))}–{human.number(int(end))} of {answer['document']} v{answer['version']}"
    facts = [str(answer.get(name) or "") for name in ("host", "kind")]
    facts += [human.moment(str(answer.get("time") or "")), place]
    keys = [str(key) for key in answer.get("source_keys") or ()]
    lines = [" · ".join(fact for fact in facts if fact)]
    if keys:
        more = f" and {len(keys) - 1} more" if len(keys) > 1 else ""
        lines.append(f"from {keys[0]}{more}")
    return lines


def _close(screen: Screen, answer: Mapping[str, Any]) -> None:
    if answer["status"] == "superseded":
        by = answer.get("replaced_by_handle") or answer.get("replaced_by")
        screen.note(f"This was replaced{f' by {by}' if by else ''}.")
    if answer.get("redactions"):
        screen.note(
            f"{human.plural(int(answer['redactions']), 'secret')} in it had been replaced before it was stored."
        )
    omitted: Mapping[str, Any] = answer.get("omitted") or {}
    around = [f"{human.size(omitted[side])} {side}" for side in ("before", "after") if omitted.get(side)]
    if around:
        whole = omitted.get("document_tokens")
        total = f" ({human.number(int(whole))} tokens in all)" if whole else ""
        screen.note(f"There is more of it{total}: {', '.join(around)}.")
    if answer.get("next"):
        screen.tell("next:", f"una recall {answer['next']}", "cyan")
    if answer.get("before"):
        screen.tell("before:", f"una recall {answer['before']}", "cyan")
