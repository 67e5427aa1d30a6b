"""Which texts of a window become previews, decided from front to back.

What is decided for an item depends on the items before it only, so what was shown stays as it was while more comes. At
a rotation the items that stay are decided anew, once, under a lower gate.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence

import msgspec

from unabridged.schema.tokens import by_length, by_script
from unabridged.window.limits import Gates
from unabridged.window.messages import Item, Kind, Part, Role
from unabridged.window.preview import preview, reference
from unabridged.window.window import Text

# Commands that read the archive: what they print was asked for, and a preview of it would send the model round again.
_RECALLS = re.compile(r"\b(una|unabridged) (recall|gather|search|grep|traverse|show)\b")
# Tokens by script for one by length, at most: four bytes a character, each of at most one and a half tokens.
DENSEST = 24
LEAST_REFERENCE = 30  # tokens of the line that stands for a repeated result, at least
NO_TEXTS: tuple[Text, ...] = ()


class Archive(msgspec.Struct, frozen=True, array_like=True):
    """What must be durable before more can be left out: an item, or one part of it. `what` says what it is."""

    what: str
    key: str
    name: str
    index: int
    part: int = -1


class Omission(msgspec.Struct, frozen=True, array_like=True):
    """What a window leaves out of what was sent: what it is, the name that recalls it, about how many tokens."""

    what: str
    name: str
    tokens: int


class Rules(msgspec.Struct, frozen=True):
    """What decides about texts.

    Items before `trusted` were decided before: what was replaced then (`replaced`) is durable, and nothing else of
    them may be left out now. Items before `regated` stand under the gate `regate`, their arguments too where
    `squeezed`. Parts named in `inline` stay whole, and so do as many leading parts of an item as `pinned` says.
    `name` makes an item's or part's name one that the archive reads.
    """

    gates: Gates
    durable: Callable[[str], bool]
    erased: Container[str]
    name: Callable[[str], str]
    pinned: Mapping[int, int] = {}
    trusted: int = 0
    regated: int = 0
    regate: int = 0
    squeezed: bool = False
    inline: frozenset[str] = frozenset()
    replaced: frozenset[str] = frozenset()


class Gated(msgspec.Struct):
    """What was decided: texts by item, tokens of all items as they will stand, parts that stay whole for want of
    durability and parts that are replaced, and what would have to be durable for more to be left out."""

    texts: dict[int, tuple[Text, ...]] = {}
    tokens: int = 0
    inline: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    wanted: tuple[Archive, ...] = ()
    omissions: tuple[Omission, ...] = ()


class _Pass:
    """One walk over the items of a window."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.admitted = 0  # tokens of results, whole and as previews
        # Name and text → arguments and call of the first.
        self.seen = dict[tuple[str, str], tuple[str, str]]()
        self.calls = dict[str, Part]()
        self.exempt = dict[str, bool]()
        self.inline = list[str]()
        self.replaced = list[str]()
        self.wanted = list[Archive]()
        self.omissions = list[Omission]()
        # Tokens up to which nothing has to be looked at: below each gate, and shorter than what would stand for it.
        gates = rules.gates
        lowest = min(gates.result, gates.pressure, gates.argument, rules.regate or gates.pressure)
        self.small = min(lowest, LEAST_REFERENCE)
        self.short = gates.input // DENSEST

    def item(self, index: int, item: Item) -> tuple[tuple[Text, ...], int]:
        """Return the texts that are replaced in an item, and its tokens with them."""
        found, tokens = NO_TEXTS, item.tokens
        for at, part in enumerate(item.parts):
            kind = part.kind
            if kind is Kind.RESULT:
                text = self._result(index, item, at, part) if part.tokens > self.small else None
                self.admitted += part.tokens if text is None else by_length(len(text.text))
            elif kind is Kind.CALL:
                self.calls[part.call] = part
                text = self._call(index, item, at, part) if part.tokens > self.small else None
            elif kind is Kind.TEXT and item.role is Role.USER and part.tokens > self.short:
                text = self._input(index, item, at, part)
            else:
                continue
            if text is not None:
                found = (*found, text)
                less = by_length(len(part.text)) - by_length(len(text.text))
                tokens -= less
                self.omissions.append(Omission(_WHAT[kind], text.name, less))
        return found, tokens

    def _result(self, index: int, item: Item, at: int, part: Part) -> Text | None:
        call = self.calls.get(part.call)
        name = part.name or (call.name if call else "")
        gates = self.rules.gates
        earlier = self._earlier(name, part, call) if gates.deduplicate else None
        if earlier is not None:
            full = self.rules.name(item.name(at))
            line = reference(full, earlier, f"{name or 'tool'} result")
            if len(line) < len(part.text):
                return Text(at, line, full) if self._may(index, item, at, "tool result") else None
        gate = gates.pressure if self.admitted >= gates.budget else gates.result
        if index < self.rules.regated:
            gate = min(self.rules.regate, gate)
        if by_length(len(part.text)) <= gate or self._exempt(name, call):
            return None
        return self._preview(index, item, at, part, gate, "tool result")

    def _earlier(self, name: str, part: Part, call: Part | None) -> str | None:
        """Return the call whose result was the same before, with the same arguments; remember this one otherwise."""
        arguments = call.text if call else ""
        known = self.seen.setdefault((name, part.text), (arguments, part.call))
        if known[1] == part.call or not part.text:
            return None
        return known[1] if known[0] == arguments else None

    def _exempt(self, name: str, call: Part | None) -> bool:
        known = self.exempt.get(name)
        if known is None:
            patterns = self.rules.gates.exempt
            known = self.exempt[name] = any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
        return known or (call is not None and _RECALLS.search(call.text) is not None)

    def _call(self, index: int, item: Item, at: int, part: Part) -> Text | None:
        gate = self.rules.gates.argument
        if self.rules.squeezed and index < self.rules.regated:
            gate = min(gate, self.rules.regate)
        if by_length(len(part.text)) <= gate:
            return None
        return self._preview(index, item, at, part, gate, "tool's arguments")

    def _input(self, index: int, item: Item, at: int, part: Part) -> Text | None:
        gate = self.rules.gates.input
        if at < self.rules.pinned.get(index, 0):
            return None
        text = part.text
        if by_length(len(text)) <= gate and not self._dense(text, gate):
            return None
        return self._preview(index, item, at, part, gate, "message")

    def _dense(self, text: str, gate: int) -> bool:
        """Tell whether a text that is short enough by its characters is too long by its script."""
        utf8 = text.encode("utf-8", "surrogatepass")
        return len(utf8) * 1.5 > gate and by_script(utf8) > gate

    def _preview(self, index: int, item: Item, at: int, part: Part, gate: int, what: str) -> Text | None:
        name = self.rules.name(item.name(at))
        text = preview(part.text, gate, name, what)
        if len(text) >= len(part.text) or not self._may(index, item, at, what):
            return None
        return Text(at, text, name)

    def _may(self, index: int, item: Item, at: int, what: str) -> bool:
        """Tell whether a part may be left out: durable now, or left out before; it stays whole for the epoch if not."""
        rules, key = self.rules, item.part_key(at)
        if item.key in rules.erased:
            return False
        before = index < rules.trusted
        if key not in rules.inline and (key in rules.replaced if before else rules.durable(item.key)):
            self.replaced.append(key)
            return True
        self.inline.append(key)
        if not before and key not in rules.inline:
            self.wanted.append(Archive(what, item.key, rules.name(item.name(at)), index, at))
        return False


_WHAT = {Kind.RESULT: "tool result", Kind.CALL: "tool's arguments", Kind.TEXT: "message"}


def gated(items: Sequence[Item], indexes: Iterable[int], rules: Rules) -> Gated:
    """Decide about the items at these indexes, in order."""
    walk = _Pass(rules)
    texts, total = dict[int, tuple[Text, ...]](), 0
    for index in indexes:
        item = items[index]
        role = item.role
        if role is Role.SYSTEM or (role is Role.USER and item.tokens <= walk.short):
            total += item.tokens
            continue
        found, tokens = walk.item(index, item)
        total += tokens
        if found:
            texts[index] = found
    return Gated(
        texts,
        total,
        tuple(walk.inline),
        tuple(walk.replaced),
        tuple(walk.wanted),
        tuple(walk.omissions),
    )
