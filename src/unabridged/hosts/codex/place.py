"""What names a row across a thread's files, its forks and its subagents.

A fork or a subagent may begin with a copy of its parent's rows: under other line numbers or ordinals, with new times,
and some of them left out. So a row is named by what a copy keeps: the turn that made it, and in the turn its item id
(or the digest of its text, in versions without item ids), counted where that occurs again. Two equal messages of one
thread stand in two turns, or are the first and second of one turn.
"""

from __future__ import annotations

import msgspec

MEMORY = (
    320  # names of the current turn in one of the two generations that are remembered to count repetitions
)
NAME_CHARACTERS = 64  # of an item's id; 640 of them stay below the 64 KiB that a state may have
UUID_TEXT = 36


class Place(msgspec.Struct):
    """Where in the logical thread the reader stands."""

    root: str = ""  # the thread that the first rows were written for: the eldest one of a chain of forks
    turn: str = ""  # id of the current turn; "" in versions that do not tell
    prompts: int = 0  # messages of a person so far: they name the turn where it has no id
    counted: str = ""  # the turn that `seen` and `before` are of
    seen: dict[str, int] = {}
    before: dict[str, int] = {}

    def begin(self, turn: str | None) -> None:
        """A turn begins."""
        if turn:
            self.turn = turn

    def identity(self, turn: str | None, name: str) -> str:
        """Return what names the item `name` of a turn (None: of the current one); each call counts it once more."""
        where = turn or self.turn
        if len(where) != UUID_TEXT:
            # Early versions number the turns of a process, or do not name them.
            where = f"{self.root}/{where or self.prompts}"
        if where != self.counted:
            self.counted = where
            self.seen = {}
            self.before = {}
        if len(name) > NAME_CHARACTERS:
            name = name[:NAME_CHARACTERS]
        seen = self.seen
        count = seen.get(name) or self.before.get(name, 0)
        seen[name] = count + 1
        if len(seen) > MEMORY:
            self.before = seen
            self.seen = {}
        return f"{where}/{name}/{count}" if count else f"{where}/{name}"
