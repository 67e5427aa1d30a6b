"""Readers of public data sets, each given by its path: nothing is downloaded.

LoCoMo (Maharana et al., 2024): a list of conversations with `session_N` lists of turns and `qa` with `evidence`.
BEAM (Tavakoli et al., 2025): a folder a chat with `chat.json` and `probing_questions/probing_questions.json`.
LongMemEval (Wu et al., 2024): a list of questions, each with its own haystack of sessions.
hard: a file with `documents`, the moment `now` up to which they go, and `cases` with one `targetDocumentId` each.
fixture: a folder with `retrieval_corpus.json` and `retrieval_queries.json`, of which those about documents are read.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from unabridged.errors import InvalidInput, PathNotFound, PathUnreadable
from unabridged.eval.suite import Conversation, Question, Session, Suite, Turn

_SESSION = re.compile(r"session_(\d+)").fullmatch
_DIALOGUE = re.compile(r"D(\d+):(\d+)")
_DATES = ("%I:%M %p on %d %B, %Y", "%Y/%m/%d (%a) %H:%M", "%B-%d-%Y", "%B-%d-%y")

Json = dict[str, Any]


def load(name: str, path: Path) -> Suite:
    """Read a data set; raise `PathNotFound`, `PathUnreadable`, or `InvalidInput` where it has another form."""
    if name not in LOADERS:
        raise InvalidInput(
            f"there is no suite `{name}`", hint=f"There are: frozen, routing, {', '.join(LOADERS)}."
        )
    if not path.exists():
        raise PathNotFound(f"there is nothing at {path}")
    try:
        suite = LOADERS[name](path)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InvalidInput(f"this is not {name} data", path=str(path), why=type(error).__name__) from error
    if not suite.questions:
        raise InvalidInput(f"no question of this {name} data names its evidence", path=str(path))
    return suite


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise PathUnreadable(error.strerror or "", path=str(path)) from error


def moment(text: str) -> float:
    """Return a data set's date as seconds since 1970 UTC, 0 where it is in no known form."""
    for form in _DATES:
        try:
            return datetime.strptime(text.strip(), form).replace(tzinfo=UTC).timestamp()
        except ValueError:
            continue
    return 0.0


def locomo(path: Path) -> Suite:
    """Read LoCoMo. A question's evidence are dialogue ids such as `D3:11`."""
    found = list[Conversation]()
    for number, sample in enumerate(cast("list[Json]", _read(path))):
        conversation: Json = sample["conversation"]
        sessions = list[Session]()
        for key, value in conversation.items():
            named = _SESSION(key)
            if named is None or not isinstance(value, list):
                continue
            date = str(conversation.get(f"{key}_date_time", ""))
            turns = tuple(
                Turn(
                    str(turn["dia_id"]),
                    "user" if turn["speaker"] == conversation.get("speaker_a") else "assistant",
                    _spoken(turn),
                )
                for turn in cast("list[Json]", value)
            )
            sessions.append(Session(f"D{named[1]}", turns, moment(date), date))
        sessions.sort(key=lambda session: int(session.key[1:]))
        questions = tuple(_locomo_questions(sample["qa"]))
        found.append(Conversation(str(sample.get("sample_id", number)), tuple(sessions), questions))
    return Suite("locomo", tuple(found), (("session", 5), ("session", 10), ("turn", 5), ("turn", 10)))


def _spoken(turn: Json) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['speaker']}: {turn['text']}" + (f"\n[image: {caption}]" if caption else "")


def _locomo_questions(items: list[Json]) -> Iterator[Question]:
    for item in items:
        evidence = [match[0] for match in _DIALOGUE.finditer(" ".join(item.get("evidence") or []))]
        if evidence:
            sessions = frozenset(key.split(":")[0] for key in evidence)
            yield Question(
                str(item["question"]), frozenset(evidence), sessions, str(item.get("category", ""))
            )


def beam(path: Path) -> Suite:
    """Read BEAM: `path` holds a folder a chat, or is one. A question's evidence are message ids."""
    chats = sorted(path.glob("**/chat.json"), key=lambda chat: (len(chat.parent.name), chat.parent.name))
    found = list[Conversation]()
    for chat in chats:
        sessions = list[Session]()
        for number, block in enumerate(cast("list[Json]", _read(chat)), 1):
            turns = tuple(
                Turn(str(message["id"]), str(message.get("role", "user")), str(message.get("content", "")))
                for turn in block["turns"]
                for message in turn
            )
            date = str(block.get("time_anchor") or "")
            sessions.append(Session(str(number), turns, moment(date), date))
        asked: Mapping[str, list[Json]] = _read(chat.parent / "probing_questions" / "probing_questions.json")
        found.append(Conversation(chat.parent.name, tuple(sessions), tuple(_beam_questions(asked, sessions))))
    return Suite("beam", tuple(found), (("message", 5), ("message", 10), ("message", 20)))


def _beam_questions(asked: Mapping[str, list[Json]], sessions: list[Session]) -> Iterator[Question]:
    place = {turn.key: session.key for session in sessions for turn in session.turns}
    for category, items in asked.items():
        for item in items:
            evidence = frozenset(str(number) for number in _numbers(item.get("source_chat_ids", [])))
            if evidence:
                held = frozenset(place[key] for key in evidence if key in place)
                yield Question(str(item["question"]), evidence, held, category)


def _numbers(value: Any) -> Iterator[int]:
    if isinstance(value, int):
        yield value
    elif isinstance(value, dict):
        for item in cast("Json", value).values():
            yield from _numbers(item)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _numbers(item)


def longmemeval(path: Path) -> Suite:
    """Read LongMemEval: every question is asked of its own haystack; evidence turns bear `has_answer`."""
    found = list[Conversation]()
    for item in cast("list[Json]", _read(path)):
        sessions, evidence = list[Session](), set[str]()
        named = zip(
            item["haystack_session_ids"], item["haystack_dates"], item["haystack_sessions"], strict=True
        )
        for at, (key, date, turns) in enumerate(named):
            made = list[Turn]()
            for number, turn in enumerate(cast("list[Json]", turns)):
                name = f"{at}:{number}"
                made.append(Turn(name, str(turn["role"]), str(turn["content"])))
                if turn.get("has_answer"):
                    evidence.add(name)
            sessions.append(Session(str(key), tuple(made), moment(str(date)), str(date)))
        answering = frozenset(map(str, item["answer_session_ids"]))
        if str(item["question_id"]).endswith("_abs") or not answering:
            continue  # nothing is to be found
        question = Question(str(item["question"]), frozenset(evidence), answering, str(item["question_type"]))
        found.append(Conversation(str(item["question_id"]), tuple(sessions), (question,)))
    return Suite("longmemeval", tuple(found), (("session", 5), ("session", 10), ("turn", 10)))


def hard(path: Path) -> Suite:
    """Read near-matches around targets: each document is a message, as long ago as it was before `now`."""
    data: Json = _read(path)
    if "now" not in data:
        raise KeyError("now")
    questions = tuple(
        Question(str(case["query"]), frozenset((str(case["targetDocumentId"]),)), frozenset(), "")
        for case in cast("list[Json]", data["cases"])
    )
    return _documents("hard", data["documents"], float(data["now"]), questions)


def fixture(path: Path) -> Suite:
    """Read documents and questions in suites: those that name documents, or a window of one."""
    documents: list[Json] = _read(path / "retrieval_corpus.json")
    questions = list[Question]()
    for case in cast("list[Json]", _read(path / "retrieval_queries.json")):
        window = case.get("relevantWindow")
        named = [window["documentId"]] if window else case.get("relevantDocumentIds") or []
        if named and case["suite"] != "hints":
            questions.append(
                Question(str(case["query"]), frozenset(map(str, named)), frozenset(), str(case["suite"]))
            )
    newest = max(float(document["createdAt"]) for document in documents)
    return _documents("fixture", documents, newest, tuple(questions))


def _documents(name: str, documents: list[Json], now: float, questions: tuple[Question, ...]) -> Suite:
    """Return documents with `createdAt` (milliseconds) as one conversation; `now` is what today is to them."""
    late = time.time() - now / 1000
    sessions = dict[str, list[Turn]]()
    for document in sorted(documents, key=lambda one: float(one["createdAt"])):
        said_by = str(document["metadata"]["sourceMessageKeys"][0]).partition(":")[0]
        role = said_by if said_by in ("user", "assistant") else "user"
        turn = Turn(
            str(document["id"]), role, str(document["text"]), at=float(document["createdAt"]) / 1000 + late
        )
        sessions.setdefault(str(document["sessionId"]), []).append(turn)
    held = tuple(Session(key, tuple(turns), turns[0].at) for key, turns in sessions.items())
    return Suite(
        name, (Conversation(name, held, questions),), (("message", 1), ("message", 3), ("message", 10))
    )


LOADERS: Mapping[str, Callable[[Path], Suite]] = {
    "locomo": locomo,
    "beam": beam,
    "longmemeval": longmemeval,
    "hard": hard,
    "fixture": fixture,
}
