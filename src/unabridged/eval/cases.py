"""The project's own suites: what is asked of which transcripts, and what must be found.

A suite is a file `suites/NAME.toml`; the transcripts that it names are `suites/talks/*.txt` (see `talks`). In `want`,
`|` stands between messages of which any will do, `,` between pieces of evidence that are all wanted.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from unabridged.errors import InvalidInput
from unabridged.eval import talks
from unabridged.eval.suite import Conversation, Session

FOLDER = Path(__file__).parent / "suites"
NAMES = (
    "exact",
    "lexical",
    "structural",
    "chunks",
    "hard",
    "identifiers",
    "scripts",
    "time",
    "hints",
)
OUTCOMES = ("excerpt", "marker", "nothing", "either", "any")
_BLANK = re.compile(r"\{(weekday|month|day|date):(\w+)\}")
_FORMS = {"weekday": "%A", "month": "%B", "date": "%Y-%m-%d"}


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question. `kind` is its category; without `want` and `status` it must be answered, and that is all.

    session: where a relation is looked for; "": in the project. status: what the answer to a relation must say.
    answer: words that the recalled bytes must contain. pasted: characters of generated text behind the question.
    before: what the model said last. miss: what has to follow a search that finds nothing.
    """

    id: str
    kind: str
    ask: str
    project: str = ""
    want: str = ""
    scope: str = "project"
    session: str = ""
    status: str = ""
    answer: str = ""
    since: str = ""
    until: str = ""
    pasted: int = 0
    before: str = ""
    miss: str = ""

    @property
    def pieces(self) -> tuple[frozenset[str], ...]:
        """The pieces of evidence: each a set of messages of which one will do."""
        return pieces(self.want)


class Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One new message of a user, and the outcome that it should have (see `suites/hints.toml`)."""

    id: str
    say: str
    expect: str
    why: str
    source: str = ""
    after: str = ""

    @property
    def sources(self) -> frozenset[str]:
        """The messages that may be quoted."""
        return frozenset(key for piece in pieces(self.source) for key in piece)


class Live(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A live session with its new messages. `before`: what its window shows; `fork`: the session it is a copy of."""

    key: str
    project: str
    messages: tuple[Said, ...]
    before: str = ""
    fork: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    ask: str
    talks: tuple[str, ...] = ()
    cases: tuple[Case, ...] = ()
    live: tuple[Live, ...] = ()


class Frozen(msgspec.Struct, frozen=True):
    """A suite with its transcripts, one conversation a project. `ask` is how its cases are put.

    digest: of the suite's files, so that two results can be told to be of the same suite.
    """

    name: str
    about: str
    ask: str
    conversations: tuple[Conversation, ...]
    cases: tuple[Case, ...]
    live: tuple[Live, ...]
    digest: str


def pieces(want: str) -> tuple[frozenset[str], ...]:
    """Return what a `want` names."""
    return tuple(frozenset(part.strip().split("|")) for part in want.split(",") if part.strip())


def load(name: str, now: float, folder: Path = FOLDER) -> Frozen:
    """Read a suite as of `now` (seconds since 1970 UTC); raise `InvalidInput` where its files are at odds."""
    path = folder / f"{name}.toml"
    if not path.is_file():
        raise InvalidInput(f"there is no suite `{name}`", hint=f"There are: {', '.join(NAMES)}.")
    try:
        file = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _File)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InvalidInput(f"the suite `{name}` has another form", why=str(error)) from error
    files = [path, *(folder / "talks" / f"{talk}.txt" for talk in file.talks)]
    found = dict[str, list[Session]]()
    for talk in files[1:]:
        for project, session in talks.read(
            talk.read_text(encoding="utf-8"), datetime.fromtimestamp(now, UTC)
        ):
            found.setdefault(project, []).append(session)
    conversations = tuple(Conversation(key, tuple(sessions), (), key) for key, sessions in found.items())
    moments = {session.key: session.started for sessions in found.values() for session in sessions}
    digest = hashlib.sha256(b"\0".join(one.read_bytes() for one in files)).hexdigest()[:16]
    cases = tuple(_dated(case, moments) for case in file.cases)
    suite = Frozen(name, file.about, file.ask, conversations, cases, file.live, digest)
    _check(suite)
    return suite


def _dated(case: Case, moments: Mapping[str, float]) -> Case:
    """Return a case with the names of days and months filled in."""

    def word(match: re.Match[str]) -> str:
        then = datetime.fromtimestamp(moments[match[2]], UTC)
        return f"{then.day} {then:%B}" if match[1] == "day" else then.strftime(_FORMS[match[1]])

    ask, since, until = (_BLANK.sub(word, text) for text in (case.ask, case.since, case.until))
    return msgspec.structs.replace(case, ask=ask, since=since, until=until)


def _check(suite: Frozen) -> None:
    """Raise `InvalidInput` where a name stands for nothing, or twice."""
    sessions = [session for one in suite.conversations for session in one.sessions]
    turns = [turn.key for session in sessions for turn in session.turns]
    said = [message for live in suite.live for message in live.messages]
    _once([case.id for case in suite.cases] + [message.id for message in said])
    _once(turns)
    known = frozenset(turns)
    wanted = [(case.id, key) for case in suite.cases for piece in case.pieces for key in piece]
    wanted += [(message.id, key) for message in said for key in message.sources]
    for name, key in wanted:
        if key not in known:
            raise InvalidInput("a case wants a message that is not there", case=name, want=key)
    for message in said:
        if message.expect not in OUTCOMES:
            raise InvalidInput("there is no outcome of that name", case=message.id, expect=message.expect)


def _once(names: Sequence[str]) -> None:
    double = sorted(name for name in set(names) if names.count(name) > 1)
    if double:
        raise InvalidInput("a name stands twice", names=double)
