"""What answers a person: the last text of the agent before the person's next message, and no work behind it."""

from __future__ import annotations

from collections.abc import Iterator

from unabridged.retrieve.context import Context
from unabridged.schema.records import EVENT, HIDDEN, HUMAN, META, PATH, SIDE, SUMMARY, Event

FIRST_PAGE, PAGE = (
    4,
    32,
)  # steps read at once: most turns of a talk are short, those of an agent at work are long
MOST_STEPS = 1_024  # of a turn that are looked at


def is_final(context: Context, event: Event) -> bool:
    """Tell whether nothing follows an agent's text in its turn: neither more text nor a tool call."""
    for step in _behind(context, event):
        if step.flags & HUMAN:
            return True
        if step.role == "assistant":
            return False
    return True


def answers_to(context: Context, event: Event, most: int = MOST_STEPS) -> list[Event]:
    """Return the agent's texts behind a message and before the person's next one, in order; `most` steps are read."""
    found = list[Event]()
    for step in _behind(context, event, most):
        if step.flags & HUMAN:
            if found:  # a person may write several messages before there is an answer
                break
        elif is_text(step) and step.role == "assistant":
            found.append(step)
    return found


def is_text(event: Event) -> bool:
    """Tell whether an event is something said in the conversation itself."""
    return event.kind == "text" and bool(event.size) and not event.flags & (META | SUMMARY)


def _behind(context: Context, event: Event, most: int = MOST_STEPS) -> Iterator[Event]:
    """Yield what follows in the session, on the same side, without reasoning and the host's own remarks."""
    side, start, page = event.flags & SIDE, event.seq + 1, FIRST_PAGE
    while start <= event.seq + most:
        paths = context.reader.scan(PATH, (event.project, event.session), start=(start,), limit=page)
        for step in context.reader.get_many(EVENT, [(event.project, path.event) for path in paths]):
            if step is None or step.flags & (META | SUMMARY | HIDDEN) or step.kind == "reasoning":
                continue
            if step.flags & SIDE == side:
                yield step
        if len(paths) < page:
            return
        start, page = paths[-1].seq + 1, min(PAGE, 2 * page)
