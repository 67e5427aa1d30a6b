"""A long conversation with an agent, the same every time: what its user asks, what files there are, what is answered.

The model has no memory but its prompt. It finds the newest request there, sees what was done for it so far, and goes
on; what it answers in the end are the marks that stand in the first lines of the files that it read, so that an answer
shows what the model was shown. Where a result only refers to an earlier one, it looks that one up in its prompt.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tests.support.provider import Call, Reply, Turn

_STEP = re.compile(r"\[step (\d+)\]")
_MARK = re.compile(r"mark=([0-9a-f]{12})")
_REFERENCE = re.compile(r"The same .{1,40} as of the earlier call `([^`]+)`")
_WORDS = """\
gate route field parser window cursor ledger driver socket buffer vector lease fence index shard replica margin
beacon anchor ribbon copper harbor meadow lantern timber gravel orchard saddle kettle"""
WORDS = _WORDS.split()
# Characters of the files: most are small, some above the gate of a tool's result, one near the most that hosts read.
SMALL, MEDIUM, LARGE, HUGE = 900, 5_200, 21_000, 38_000


class Hand(Protocol):
    """How the model of one host calls its tools; a path is relative to the project."""

    def read(self, path: str) -> Call:
        """Read a file with the host's own tool, or with a command."""
        ...

    def show(self, path: str) -> Call:
        """Read a file with a command."""
        ...

    def write(self, path: str, text: str) -> Call:
        """Write a file."""
        ...


@dataclass(frozen=True)
class Act:
    """One call: `what` is a method of a `Hand`."""

    what: str
    path: str
    text: str = ""


@dataclass(frozen=True)
class Step:
    """One request of the user: what it says, and the calls that the model makes, those of a round at once."""

    prompt: str
    rounds: Sequence[Sequence[Act]] = ()
    thinking: str = ""


class Story:
    """`steps` requests, from a seed; `hand` None is for hosts whose model has no tools."""

    def __init__(self, steps: int, hand: Hand | None, seed: int = 7) -> None:
        self.files: dict[str, str] = {}
        self._random, self._hand = random.Random(seed), hand
        self.steps = [self._step(number) for number in range(steps)]

    def lay_out(self, project: Path) -> None:
        """Write the files that are read."""
        for path, text in self.files.items():
            (project / path).write_text(text, encoding="utf-8")

    @property
    def prompts(self) -> list[str]:
        """What the user says, in order."""
        return [step.prompt for step in self.steps]

    def model(self, turn: Turn) -> Reply | None:
        """What the model says to a prompt; None where the prompt is no request of this story."""
        found = _STEP.findall(turn.prompt)
        if not found or (self._hand and not turn.tools):  # a title, a summary
            return None
        number, done = int(found[-1]), len(turn.results)
        step = self.steps[number]
        for place, acts in enumerate(step.rounds if self._hand else ()):
            if done <= 0:
                calls = [self._call(act) for act in acts]
                return Reply(f"Step {number}, round {place}.", calls, step.thinking)
            done -= len(acts)
        marks = " ".join(sorted(_marks(turn)))
        return Reply(f"[answer {number}] {marks or 'noted'}.", thinking=step.thinking)

    def expected(self, number: int) -> str:
        """What the model answers to a step when it has seen everything that it asked for."""
        step = self.steps[number]
        read = [act for acts in step.rounds for act in acts if act.what != "write"]
        marks = _MARK.findall(step.prompt) + [_MARK.findall(self.files[act.path])[0] for act in read]
        return f"[answer {number}] {' '.join(sorted(marks)) or 'noted'}."

    def _call(self, act: Act) -> Call:
        assert self._hand is not None
        if act.what == "write":
            return self._hand.write(act.path, act.text)
        return self._hand.read(act.path) if act.what == "read" else self._hand.show(act.path)

    def _step(self, number: int) -> Step:
        asked = f"[step {number}] Look at the {self._word()} of the {self._word()}, then tell me its marks."
        thinking = f"Step {number} is about the {self._word()}." if number % 3 == 0 else ""
        kind = number % 10
        if kind == 7 or self._hand is None:
            return Step(f"{asked} Mine is mark={self._mark()}.\n\n{self._prose(number)}", (), thinking)
        return Step(asked, tuple(self._rounds(number, kind)), thinking)

    def _rounds(self, number: int, kind: int) -> Iterator[Sequence[Act]]:
        if kind == 3:  # calls beside each other
            yield [Act("show", self._file(f"{number}-{part}", SMALL)) for part in "abc"]
        elif kind == 4:  # above the gate, then something small
            yield [Act("show", self._file(f"{number}-large", LARGE))]
            yield [Act("read", self._file(f"{number}-after", SMALL))]
        elif kind == 5:  # the same again, in one step and in a later one
            path = self._file(f"{number}-same", MEDIUM)
            yield [Act("show", path)]
            yield [Act("show", path)]
        elif kind == 6:
            yield [Act("show", f"part-{number - 1}-same.txt")]
        elif kind == 8 and number % 20 == 8:
            yield [Act("write", f"made-{number}.txt", self._text(f"made {number}", LARGE))]
        elif kind == 9 and number % 40 == 9:
            yield [Act("read", self._file(f"{number}-huge", HUGE))]
        else:
            yield [Act("read", self._file(f"{number}", MEDIUM if kind % 2 else SMALL))]

    def _file(self, name: str, size: int) -> str:
        path = f"part-{name}.txt"
        self.files[path] = f"mark={self._mark()}\n{self._text(name, size)}"
        return path

    def _mark(self) -> str:
        return f"{self._random.randrange(16**12):012x}"

    def _text(self, name: str, size: int) -> str:
        lines, length, number = list[str](), 0, 0
        while length < size:
            lines.append(f"{name} line {number}: {' '.join(self._word() for _ in range(9))}")
            length, number = length + len(lines[-1]) + 1, number + 1
        return "\n".join(lines) + "\n"

    def _prose(self, number: int) -> str:
        """What the user pastes: a little, sometimes much, once more than is kept in a prompt."""
        size = 70_000 if number == 37 else 12_000 if number % 20 == 17 else 1_500
        return self._text(f"note {number}", size)

    def _word(self) -> str:
        return self._random.choice(WORDS)


def _marks(turn: Turn) -> Iterator[str]:
    newest = list(_STEP.finditer(turn.prompt))[-1]  # a host that compacted keeps the prompts before it, too
    yield from _MARK.findall(turn.prompt, newest.start())
    for result in turn.results:
        said = result
        while not _MARK.search(said) and (reference := _REFERENCE.search(said)):
            said = turn.find(reference[1]) or ""
        found = _MARK.search(said)
        if found:
            yield found[1]
        elif "mark" in said or said != result:
            yield "lost"


def answers(said: Sequence[str]) -> Mapping[int, str]:
    """The answers in what a host wrote, by step."""
    found = (re.search(r"\[answer (\d+)\].*", text) for text in said)
    return {int(match[1]): match[0] for match in found if match}
