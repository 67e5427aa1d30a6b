"""`una eval` from the data's own form to the table."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from unabridged.errors import InvalidInput, PathNotFound
from unabridged.eval import asking, loaders, reporting
from unabridged.eval.command import lines

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


def locomo_data() -> list[dict[str, Any]]:
    """Two conversations in LoCoMo's form; the same words mean something else in each."""

    def talk(place: str, pet: str) -> dict[str, Any]:
        return {
            "speaker_a": "Ada",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ada", "dia_id": "D1:1", "text": f"I moved to {place} last winter."},
                {"speaker": "Ben", "dia_id": "D1:2", "text": "How is the weather over there?"},
            ],
            "session_2_date_time": "9:05 am on 2 June, 2023",
            "session_2": [
                {
                    "speaker": "Ben",
                    "dia_id": "D2:1",
                    "text": "Look at this!",
                    "blip_caption": f"a photo of a {pet}",
                },
                {"speaker": "Ada", "dia_id": "D2:2", "text": "So cute."},
            ],
        }

    def asked(place: str, pet: str) -> list[dict[str, Any]]:
        return [
            {"question": f"When did Ada move to {place}?", "evidence": ["D1:1"], "category": 2},
            {"question": f"Who showed a photo of a {pet}?", "evidence": ["D2:1; D2:2"], "category": 1},
            {"question": "Was it ever answered?", "evidence": [], "category": 5},
        ]

    return [
        {"sample_id": "one", "conversation": talk("Oslo", "parrot"), "qa": asked("Oslo", "parrot")},
        {"sample_id": "two", "conversation": talk("Lima", "lizard"), "qa": asked("Lima", "lizard")},
    ]


def test_questions_are_asked_of_their_own_conversation(tmp_path: Path) -> None:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(locomo_data()))
    suite = loaders.load("locomo", path)
    assert [one.sessions[0].started for one in suite.conversations] == [1683554160.0] * 2
    asked = asking.ask(suite, lambda _: None, floor=True)
    report = reporting.report(suite.name, suite.measures, asked)
    assert (report["suite"], report["n"], report["statuses"]) == ("locomo", 4, {"ok": 4})
    assert [one.ours["turn"][0] for one in asked] == ["D1:1", "D2:1", "D1:1", "D2:1"]
    assert report["metrics"]["session_recall@10"] == 100.0
    assert report["metrics"]["turn_mrr"] == 100.0
    assert report["floor"]["turn_recall@10"] >= 75.0
    assert report["categories"]["2"]["n"] == 2
    drawn = list(lines(report))
    assert drawn[0] == "locomo: 4 questions"
    assert any(line.startswith("session_recall@10") and "fts5" not in line for line in drawn)


def test_beam_and_longmemeval_are_read_in_their_own_forms(tmp_path: Path) -> None:
    chat = tmp_path / "100K" / "1"
    (chat / "probing_questions").mkdir(parents=True)
    message = {"role": "user", "id": 7, "content": "The sprint ends on March 29."}
    (chat / "chat.json").write_text(json.dumps([{"turns": [[message]], "time_anchor": "March-15-2024"}]))
    questions = {"facts": [{"question": "When?", "source_chat_ids": {"a": [7]}}, {"question": "Unknown?"}]}
    (chat / "probing_questions" / "probing_questions.json").write_text(json.dumps(questions))
    beam = loaders.load("beam", tmp_path)
    assert [(q.text, q.turns, q.sessions) for q in beam.conversations[0].questions] == [
        ("When?", frozenset({"7"}), frozenset({"1"}))
    ]
    item = {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Which tea?",
        "haystack_session_ids": ["s1", "s2"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 02:21"],
        "haystack_sessions": [
            [{"role": "user", "content": "I like oolong.", "has_answer": True}],
            [{"role": "user", "content": "Hello."}],
        ],
        "answer_session_ids": ["s1"],
    }
    path = tmp_path / "long.json"
    path.write_text(json.dumps([item, {**item, "question_id": "q2_abs"}]))
    suite = loaders.load("longmemeval", path)
    assert [(q.turns, q.sessions) for one in suite.conversations for q in one.questions] == [
        (frozenset({"0:0"}), frozenset({"s1"}))
    ]


def hard_data() -> dict[str, Any]:
    """An old answer and a fresh near-match, as of a day long ago."""
    now = 1_700_000_000_000

    def document(name: str, text: str, days: float) -> dict[str, Any]:
        written = {
            "createdAt": now - days * 86_400_000,
            "metadata": {"sourceMessageKeys": [f"assistant:{name}"]},
        }
        return {"id": name, "sessionId": "s", "text": text, **written}

    documents = [
        document("fresh", "The colour of the kettle is listed on the page of kettles.", 0.01),
        document("old", "We took the blue kettle because the red one leaks.", 30),
    ]
    cases = [{"id": "c", "query": "why did we take the blue kettle", "targetDocumentId": "old"}]
    return {"now": now, "documents": documents, "cases": cases}


def test_documents_around_a_target_keep_their_age(tmp_path: Path) -> None:
    path = tmp_path / "corpus.json"
    path.write_text(json.dumps(hard_data()))
    suite = loaders.load("hard", path)
    old, fresh = suite.conversations[0].sessions[0].turns
    assert (old.key, old.role, fresh.key) == ("old", "assistant", "fresh")
    assert abs(time.time() - old.at - 30 * 86_400) < 60
    report = reporting.report(suite.name, suite.measures, asking.ask(suite, lambda _: None, floor=True))
    assert report["metrics"]["message_recall@3"] == 100.0
    assert report["floor"]["message_mrr"] == 100.0


def test_a_fixture_gives_its_questions_about_documents(tmp_path: Path) -> None:
    data = hard_data()
    (tmp_path / "retrieval_corpus.json").write_text(json.dumps(data["documents"]))
    questions = [
        {"suite": "exact", "query": "kettle", "relevantDocumentIds": ["old"]},
        {"suite": "chunks", "query": "leaks", "relevantWindow": {"documentId": "old"}},
        {"suite": "structural", "query": "kettle", "relevantLocations": []},
        {"suite": "hints", "query": "kettle", "relevantDocumentIds": ["old"]},
    ]
    (tmp_path / "retrieval_queries.json").write_text(json.dumps(questions))
    suite = loaders.load("fixture", tmp_path)
    assert [(q.category, q.turns) for q in suite.conversations[0].questions] == [
        ("exact", frozenset({"old"})),
        ("chunks", frozenset({"old"})),
    ]


@pytest.mark.parametrize("content", ["{}", "[]", "[1]", "not json", '[{"conversation": {}, "qa": []}]'])
def test_other_data_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    for name in ("locomo", "longmemeval", "hard"):
        with pytest.raises(InvalidInput):
            loaders.load(name, path)


def test_a_missing_file_and_an_unknown_suite_are_told(tmp_path: Path) -> None:
    with pytest.raises(PathNotFound):
        loaders.load("locomo", tmp_path / "absent.json")
    with pytest.raises(InvalidInput, match="there is no suite"):
        loaders.load("other", tmp_path)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the development data is not there")
def test_the_development_data_is_read_whole() -> None:
    assert loaders.load("locomo", SHARED / "locomo" / "locomo_dev.json").questions == 997
    assert loaders.load("beam", SHARED / "beam" / "100K").questions == 179
