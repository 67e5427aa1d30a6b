"""Search over a real index: what is found, what is left out, what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.retrieve.conftest import Archive
from tests.support.archiving import NOW, PROJECT, ROOT
from unabridged.archive.forget import plan_retire
from unabridged.archive.notes import NoteDraft, NoteOutcome, plan_note
from unabridged.archive.resolve import Resolver
from unabridged.errors import IndexCorrupt, InvalidCursor, InvalidInput
from unabridged.index.feed import next_feed
from unabridged.index.indexer import Indexer, read_watermarks
from unabridged.index.lexical import LexicalIndex
from unabridged.retrieve.eligible import Eligibility
from unabridged.retrieve.filters import Filters
from unabridged.retrieve.finder import IndexFinder
from unabridged.retrieve.places import document_of
from unabridged.retrieve.recent import Recent
from unabridged.retrieve.search import Search, Searched, search
from unabridged.schema.ids import project_id
from unabridged.schema.records import DOCUMENT, EVENT
from unabridged.schema.scope import Level


class Engine:
    """An archive with its index."""

    def __init__(self, archive: Archive, folder: Path) -> None:
        self.archive = archive
        self.folder = folder
        self.recent = Recent()

    def index(self) -> None:
        indexer = Indexer(self.folder)
        with self.archive.store.snapshot() as reader:
            position = indexer.watermarks.get(PROJECT, (0, b""))[0]
            while (feed := next_feed(reader, PROJECT, position)) is not None:
                indexer.apply(feed)
                position = feed.position
        indexer.commit()
        indexer.close()

    def finder(self) -> IndexFinder:
        opened = LexicalIndex.open(self.folder)
        positions = {project: at for project, (at, _) in read_watermarks(opened.payload).items()}
        return IndexFinder(opened, positions, self.recent)

    def search(self, query: str, **options: object) -> Searched:
        return search(self.archive.context(), self.finder(), Search(query, **options))  # type: ignore[arg-type]

    def natives(self, query: str, **options: object) -> list[str]:
        return [hit.event.native for hit in self.search(query, **options).hits]

    def note(self, text: str, **options: str) -> NoteOutcome:
        draft = NoteDraft(PROJECT, ROOT, text, text, **options)
        outcome: NoteOutcome = self.archive.store.commit(PROJECT, plan_note(draft, NOW, 1))
        return outcome

    def tell(self, outcome: NoteOutcome) -> None:
        with self.archive.store.snapshot() as reader:
            event = reader.get(EVENT, (PROJECT, outcome.ordinal))
            assert event is not None
            self.recent.add(event, Resolver(reader).event_text(event), outcome.position)


@pytest.fixture
def engine(archive: Archive, tmp_path: Path) -> Engine:
    made = Engine(archive, tmp_path / "g1")
    made.index()
    return made


def test_the_passage_that_says_it_comes_first(engine: Engine) -> None:
    assert engine.natives("migrate database script")[0] in ("a1", "q1")
    assert engine.natives("migrate_db.py --down")[0] == "a3"
    assert engine.natives("数据")[0] == "a2"
    assert engine.natives("gardens") == ["b1"]


def test_a_hit_names_bytes_that_hold_what_was_asked_for(engine: Engine) -> None:
    for hit in engine.search("line 600 of a long answer").hits[:1]:
        text = Resolver(engine.archive.store.snapshot()).event_bytes(hit.event)
        assert b"line 600" in text[hit.start : hit.end]
        assert hit.text.encode() == text[hit.start : hit.end]
        assert "600" in hit.terms


def test_status_tells_empty_from_behind_and_from_failed(engine: Engine) -> None:
    assert engine.search("zzzyyyxxx").status == "empty"
    assert engine.search("gardens").status == "ok"
    engine.archive.add("third-session", [{"id": "c1", "text": "late talk of gardens", "human": True}])
    behind = engine.search("gardens")
    assert behind.status == "index-behind"
    assert behind.account["behind"] == 1
    assert behind.account["complete"] is False
    engine.index()
    assert engine.search("gardens").status == "ok"
    finder = engine.finder()

    def broken(*_: object) -> list[object]:
        raise IndexCorrupt

    finder.candidates = broken  # type: ignore[method-assign]
    failed = search(engine.archive.context(), finder, Search("gardens"))
    assert (failed.status, failed.hits) == ("failed", [])
    assert failed.account["failed"] == {"lexical": "index-corrupt"}


def test_a_note_is_found_at_once_and_once_the_index_has_it_not_twice(engine: Engine) -> None:
    outcome = engine.note("zeppelins are lighter than air")
    engine.tell(outcome)
    fresh = engine.search("zeppelins")
    assert [hit.event.host for hit in fresh.hits] == ["note"]
    assert fresh.status == "ok"
    assert "fresh" in fresh.hits[0].match
    engine.index()
    assert len(engine.search("zeppelins").hits) == 1
    engine.recent.drop_through(PROJECT, outcome.position)
    later = engine.search("zeppelins")
    assert len(later.hits) == 1
    assert "fresh" not in later.hits[0].match


def test_a_replaced_note_leaves_search_and_a_retired_turn_too(engine: Engine) -> None:
    first = engine.note("the mascot is a heron", subject_key="mascot")
    with engine.archive.store.snapshot() as reader:
        document = reader.get(DOCUMENT, (PROJECT, first.document))
    assert document is not None
    engine.note("the mascot is an otter", subject_key="mascot", supersedes=document.id.hex())
    engine.index()
    assert [hit.text for hit in engine.search("mascot").hits] == ["the mascot is an otter"]
    assert engine.search("mascot").account["left_out"] == {"superseded": 1}
    with engine.archive.store.snapshot() as reader:
        turn = next(item for item in reader.scan(DOCUMENT, (PROJECT,)) if item.title.startswith("unrelated"))
    engine.archive.store.commit(PROJECT, plan_retire(PROJECT, turn.ordinal, "retired", NOW))
    assert engine.natives("gardens") == []


def test_filters_and_scopes_narrow(engine: Engine) -> None:
    assert engine.natives("migrate_db.py", filters=Filters(roles=frozenset({"user"}))) == ["q1"]
    assert engine.natives("rollback", filters=Filters(exclude=frozenset({"toy:first-session:q2"}))) == ["a3"]
    elsewhere = engine.archive.context(Level.PROJECT, project_id("/other"))
    found = search(elsewhere, engine.finder(), Search("gardens"))
    assert found.hits == []
    assert found.account["scope"] == "project"
    assert "left_out" in found.account
    assert found.account["left_out"] == {}


def test_pages_hold_each_hit_once_and_later_documents_stay_out(engine: Engine) -> None:
    rows = [{"id": f"p{n}", "text": f"pager topic number {n} {'x' * n}", "human": True} for n in range(30)]
    engine.archive.add("pages", rows)
    engine.index()
    seen, cursor = list[str](), ""
    for page in range(20):
        found = engine.search("pager topic", limit=4, cursor=cursor)
        seen += [hit.event.native for hit in found.hits]
        cursor = found.next
        if page == 0:
            engine.archive.add("late", [{"id": "late", "text": "pager topic pager topic", "human": True}])
            engine.index()
        if not cursor:
            break
    assert len(seen) == len(set(seen))
    assert "late" not in seen
    assert len(seen) >= 12


def test_near_duplicates_are_one_hit_that_says_how_many(engine: Engine) -> None:
    output = (
        "collected 12 items and everything passed in the usual order of the suite today without any warning "
    )
    rows = [{"id": f"d{n}", "text": output + f"in {n}.5 s", "role": "tool"} for n in range(5)]
    engine.archive.add("runs", rows)
    engine.index()
    found = engine.search("collected items everything passed")
    assert len(found.hits) == 1
    assert found.hits[0].similar == 4


@pytest.mark.parametrize(
    "query",
    [
        "",
        " ",
        "\x00",
        "*",
        "(",
        '"',
        '"unbalanced',
        "AND OR NOT",
        "🙂",
        "?!.,;/#",
        "\ud800",
        "a" * 100_000,
        "x\x00y",
        "-",
        "--",
    ],
)
def test_any_string_is_a_valid_query(engine: Engine, query: str) -> None:
    assert engine.search(query).status in ("ok", "empty")


def test_operators_only_when_asked_for(engine: Engine) -> None:
    assert engine.natives("rollback NOT down", operators=True) == ["q2"]
    assert set(engine.natives("gardens OR rollback", operators=True)) == {"b1", "q2", "a3"}
    assert "a3" in engine.natives("rollback NOT down")


def test_bad_requests_are_refused(engine: Engine) -> None:
    for options in ({"limit": 0}, {"limit": -1}, {"limit": 1_000}, {"per_session": -1}):
        with pytest.raises(InvalidInput):
            engine.search("x", **options)
    with pytest.raises(InvalidCursor):
        engine.search("x", cursor="nonsense")
    engine.archive.add(
        "many", [{"id": f"m{n}", "text": f"many words {n} {'y' * n}", "human": True} for n in range(9)]
    )
    engine.index()
    following = engine.search("many words", limit=2).next
    assert engine.search("many words", limit=5, cursor=following).hits
    with pytest.raises(InvalidCursor):
        engine.search("other words", limit=2, cursor=following)
    for expression in ("a AND (", "OR", '"a', "NOT a"):
        with pytest.raises(InvalidInput):
            engine.search(expression, operators=True)


def test_equal_states_give_equal_answers(engine: Engine) -> None:
    one, other = (
        engine.search("long answer line", explain=True),
        engine.search("long answer line", explain=True),
    )
    assert [(hit.event.id, hit.start, hit.score) for hit in one.hits] == [
        (hit.event.id, hit.start, hit.score) for hit in other.hits
    ]
    assert one.explain == other.explain != []


def conversation(engine: Engine, name: str, *texts: str) -> None:
    """Add a conversation in which a person and an agent speak in turns; rows are named by number."""
    rows = [
        {
            "id": f"{name}{number}",
            "text": text,
            "human": not number % 2,
            "role": "assistant" if number % 2 else "user",
        }
        for number, text in enumerate(texts)
    ]
    engine.archive.add(name, rows)  # type: ignore[arg-type]
    engine.index()


@pytest.fixture
def harbour(engine: Engine) -> Engine:
    """Have a conversation in which the question's words stand beside the answer."""
    conversation(
        engine,
        "h",
        "let us begin with the crane schedule",
        "which crane moved the turbine blades last winter?",
        "the green one at quay seven",
        "and it was rented",
    )
    return engine


def test_an_answer_is_found_by_the_question_beside_it(harbour: Engine) -> None:
    found = harbour.search("who lifted turbine blades with a crane in winter")
    by_name = {hit.event.native: hit for hit in found.hits}
    assert [hit.event.native for hit in found.hits[:2]] == ["h2", "h1"]
    assert by_name["h2"].match == ["beside"]
    assert by_name["h2"].band == "low"
    assert "h3" not in by_name, "only what stands beside what matches"


def test_what_is_looked_up_by_its_own_words_brings_no_neighbours(harbour: Engine) -> None:
    assert harbour.natives("crane turbine blades") == ["h1", "h0"]


def test_neighbours_obey_filters_and_retirement(harbour: Engine) -> None:
    query = "who lifted turbine blades with a crane in winter"
    assert "h2" not in harbour.natives(query, filters=Filters(roles=frozenset(["assistant"])))
    assert harbour.natives(query, operators=True) == []
    with harbour.archive.store.snapshot() as reader:
        found = next(hit for hit in harbour.search(query).hits if hit.event.native == "h2")
        document = document_of(reader, found.event)
        assert document is not None
        plan = plan_retire(PROJECT, document.ordinal, "retired", NOW)
    harbour.archive.store.commit(PROJECT, plan)
    assert "h2" not in harbour.natives(query)


def test_a_conversation_without_a_hit_comes_before_the_ninth_of_another(engine: Engine) -> None:
    said = [
        f"the ferry timetable changed again, note {word}"
        for word in ["one", "two", "three", "four", "five", "six"]
    ]
    more = [
        f"the ferry timetable for {word} changed" for word in ["may", "june", "july", "august", "september"]
    ]
    conversation(engine, "f", *said, *more)
    conversation(engine, "g", "unrelated", "somebody once spoke about a ferry there")
    assert engine.natives("ferry timetable changed", limit=20).index("g1") == 8


def test_pages_are_one_ranking_cut_in_pieces(engine: Engine) -> None:
    for name in "uvwxyz":
        texts = [f"{name} tide table number {n} for the {'harbour ' * (n % 4)}pilot" for n in range(12)]
        conversation(engine, name, *texts)
    whole = engine.natives("which tide table does the harbour pilot trust", limit=60)
    pieces, cursor = list[str](), ""
    for _ in range(20):
        found = engine.search("which tide table does the harbour pilot trust", limit=4, cursor=cursor)
        pieces += [hit.event.native for hit in found.hits]
        cursor = found.next
        if not cursor:
            break
    assert pieces[:60] == whole[:60]
    assert len(set(pieces)) == len(pieces)


def test_a_message_that_was_corrected_is_found_marked_behind_its_correction(engine: Engine) -> None:
    (wrong,) = [hit.event for hit in engine.search("gardens").hits]
    right = engine.note(
        "parks, and among many other things that are not flowers gardens", corrects=int(wrong.ordinal)
    )
    other = engine.note("talk of parks and of gardens, not of flowers", title="parks", corrects=0)
    engine.index()
    found = [hit.event.ordinal for hit in engine.search("gardens").hits]
    assert found.index(right.ordinal) < found.index(wrong.ordinal)
    assert other.ordinal in found
    # Nobody is told unasked what was corrected.
    strict = Eligibility(engine.archive.context(), Filters(), {}, standing=True)
    assert strict.reason(wrong) == "superseded"


def test_who_asks_for_replaced_notes_gets_them_behind_what_stands(engine: Engine) -> None:
    first = engine.note("the mascot is a heron, a heron, a mascot")
    second = engine.note("heron? No: the mascot is an otter", corrects=int(first.document))
    engine.index()
    assert [hit.event.ordinal for hit in engine.search("mascot heron").hits] == [second.ordinal]
    wide = engine.search("mascot heron", filters=Filters(superseded=True)).hits
    assert [hit.event.ordinal for hit in wide] == [second.ordinal, first.ordinal]
