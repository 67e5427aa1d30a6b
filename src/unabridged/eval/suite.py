"""What a retrieval suite is: conversations, and questions with the turns that answer them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Turn:
    """One message. `key` names it in the suite's own words; `role` is "user" or "assistant"."""

    key: str
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    """Turns in order; `started` is a time in seconds since 1970 UTC, 0 where the data has none."""

    key: str
    turns: tuple[Turn, ...]
    started: float = 0.0
    date: str = ""  # as the data writes it


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
