"""What a retrieval suite is: conversations, and questions with the turns that answer them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Turn:
    """One message. `key` names it in the suite's own words; `role` is "user", "assistant", "call" or "result".

    A call has the tool's name and its main argument (`given`), and `text` is what it writes; `given` of a result is
    "error" where the call failed.
    """

    key: str
    role: str
    text: str
    tool: str = ""
    given: str = ""
    at: float = 0.0  # seconds since 1970 UTC; 0: by its place in the session

    @property
    def spoken(self) -> str:
        """All of its text, as a plain index would hold it."""
        return "\n".join(part for part in (f"{self.tool} {self.given}".strip(), self.text) if part)


@dataclass(frozen=True, slots=True)
class Session:
    """Turns in order; `started` is a time in seconds since 1970 UTC, 0 where the data has none."""

    key: str
    turns: tuple[Turn, ...]
    started: float = 0.0
    date: str = ""  # as the data writes it, or its title
    gap: float = 30.0  # seconds between two turns


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the keys of the turns that answer it. `category` is the data's own."""

    text: str
    turns: frozenset[str]
    sessions: frozenset[str]
    category: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Sessions that are searched together, and the questions about them."""

    name: str
    sessions: tuple[Session, ...]
    questions: tuple[Question, ...]
    folder: str = ""  # the last part of its project's path; "": a name made of `name`


@dataclass(frozen=True, slots=True)
class Suite:
    """A data set. `measures` are the figures that it is known by: "turn", "session" or "message", each at k."""

    name: str
    conversations: tuple[Conversation, ...]
    measures: tuple[tuple[str, int], ...]
    notes: tuple[str, ...] = field(default=())

    @property
    def questions(self) -> int:
        """How many questions there are."""
        return sum(len(conversation.questions) for conversation in self.conversations)
