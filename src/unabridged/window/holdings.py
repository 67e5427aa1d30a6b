"""What a window holds: how many tokens of whom and of which tool, and its largest parts. No text comes out of here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from unabridged.schema.tokens import by_length
from unabridged.window.epoch import Plan
from unabridged.window.messages import FRAME_TOKENS, Conversation, Item, Kind, Part
from unabridged.window.window import ALL, Added, Edited, Piece, Span

CATALOGUE, FRAMES, FIXED = "table of contents", "frames", "outside"


class Held(msgspec.Struct, frozen=True):
    """Parts of one role, kind and tool: how many there are, of how many tokens, how many of them are previews."""

    role: str
    kind: str
    tool: str
    parts: int
    tokens: int
    previews: int = 0


class Large(msgspec.Struct, frozen=True):
    """One part of a window. `name` recalls it, `whole` is its tokens where a preview stands for it."""

    name: str
    role: str
    kind: str
    tool: str
    tokens: int
    whole: int = 0


class Holdings(msgspec.Struct, frozen=True):
    """All that a window holds, the largest first; `tokens` is their sum, as the provider would count them."""

    held: tuple[Held, ...]
    largest: tuple[Large, ...]
    tokens: int


def holdings(conversation: Conversation, plan: Plan, most: int) -> Holdings:
    """Return what a planned window holds; of single parts the largest `most`."""
    scaled = plan.state.calibration.scaled
    parts = sorted(_parts(conversation, plan), key=lambda part: -part.tokens)
    sums = dict[tuple[str, str, str], list[Large]]()
    for part in parts:
        sums.setdefault((part.role, part.kind, part.tool), []).append(part)
    held = [
        Held(
            *names,
            len(found),
            scaled(sum(part.tokens for part in found)),
            sum(part.whole > 0 for part in found),
        )
        for names, found in sums.items()
    ]
    frames = FRAME_TOKENS * _items(plan.window)
    for name, tokens in ((FRAMES, frames), (FIXED, conversation.fixed)):
        if tokens:
            held.append(Held("", name, "", 1, scaled(tokens)))
    held.sort(key=lambda one: (-one.tokens, one.role, one.kind, one.tool))
    largest = tuple(
        msgspec.structs.replace(
            part, name=plan.state.full_name(part.name), tokens=scaled(part.tokens), whole=scaled(part.whole)
        )
        for part in [part for part in parts if part.name][:most]
    )
    return Holdings(tuple(held), largest, sum(one.tokens for one in held))


def _items(window: Sequence[Piece]) -> int:
    return sum(piece.stop - piece.start if isinstance(piece, Span) else 1 for piece in window)


def _parts(conversation: Conversation, plan: Plan) -> Iterator[Large]:
    """Yield the parts of a window in order, sized as they stand."""
    items = conversation.items
    tools = {part.call: part.name for item in items for part in item.parts if part.kind is Kind.CALL}
    for piece in plan.window:
        if isinstance(piece, Added):
            yield Large("", "user", CATALOGUE, "", by_length(len(piece.text)))
        elif isinstance(piece, Edited):
            yield from _edited(items[piece.index], piece, tools)
        else:
            for item in items[piece.start : piece.stop]:
                for at, part in enumerate(item.parts):
                    yield _large(item, at, part, tools)


def _edited(item: Item, edit: Edited, tools: dict[str, str]) -> Iterator[Large]:
    texts = {text.part: text.text for text in edit.texts}
    count = len(item.parts) if edit.parts == ALL else edit.parts
    for at, part in enumerate(item.parts[:count]):
        large = _large(item, at, part, tools)
        if at in texts:
            tokens = part.tokens - by_length(len(part.text)) + by_length(len(texts[at]))
            large = msgspec.structs.replace(large, tokens=tokens, whole=part.tokens)
        yield large


def _large(item: Item, at: int, part: Part, tools: dict[str, str]) -> Large:
    tool = part.name or tools.get(part.call, "") if part.kind in (Kind.CALL, Kind.RESULT) else ""
    return Large(item.name(at), item.role.value, part.kind.value, tool, part.tokens)
