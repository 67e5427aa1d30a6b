"""What operations answer, refuse, and leave alone."""

from __future__ import annotations

import base64

import msgspec
import pytest

from tests.service.desk import Desk, exchange
from tests.support.archiving import PROJECT, ROOT
from unabridged.errors import (
    AmbiguousName,
    Conflict,
    DiskFull,
    DiskLow,
    InvalidCursor,
    InvalidInput,
    LimitExceeded,
    NotFound,
    OutOfScope,
    ReadOnly,
    SessionNotFound,
    StoreFailed,
    UnabridgedError,
)
from unabridged.schema.scope import Level
from unabridged.service.operations import OPERATIONS
from unabridged.service.ports import Finding
from unabridged.service.requests import Filters
from unabridged.store.contract import Usage

NAMES = {
    *(
        "ping",
        "status",
        "stats",
        "import",
        "notify",
        "sessions",
        "show",
        "original",
        "search",
        "grep",
        "recall",
    ),
    *("note", "verify", "doctor", "index", "project", "shutdown", "daemon.status"),
}


def test_the_table_holds_every_operation_once_with_its_types() -> None:
    assert set(OPERATIONS) >= NAMES
    for name, row in OPERATIONS.items():
        assert row.name == name
        assert row.doc.endswith(".")
        assert row.effect in ("read", "write", "admin")
        assert issubclass(row.request, msgspec.Struct)
        assert issubclass(row.answer, msgspec.Struct)
        assert 0 < row.reserve <= 16 << 20


def test_an_unknown_parameter_is_refused_by_every_operation() -> None:
    for row in OPERATIONS.values():
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(b'{"no_such_parameter": 1}', type=row.request)


# --- sessions ---


def test_sessions_are_listed_the_last_one_first_in_pages(desk: Desk) -> None:
    for number in range(5):
        desk.admit(f"session{number}", exchange(1, time=(number + 1) * 1_000_000))
    seen: list[str] = []
    cursor = ""
    for _ in range(5):
        page = desk.call("sessions", limit=2, cursor=cursor)
        seen += [row.host_session for row in page.sessions]
        cursor = page.next
        if not cursor:
            break
    assert seen == [f"session{number}" for number in (4, 3, 2, 1, 0)]
    row = desk.call("sessions", limit=1).sessions[0]
    assert (row.host, row.events, row.origins, row.started) == (
        "toy",
        2,
        ["/t/session4.toy"],
        "1970-01-01T00:00:05.000Z",
    )
    with pytest.raises(InvalidCursor):
        desk.call("sessions", cursor="00")
    for limit in (0, -1, 1_000_000):
        with pytest.raises(LimitExceeded):
            desk.call("sessions", limit=limit)


def test_a_narrow_grant_hides_sessions_of_other_projects(desk: Desk) -> None:
    desk.admit("mine", exchange(1))
    assert len(desk.call("sessions", granted=Level.PROJECT, folder=ROOT).sessions) == 1
    assert desk.call("sessions", granted=Level.PROJECT, folder="/elsewhere").sessions == []
    assert desk.call("sessions", granted=Level.PROJECT).sessions == []
    assert desk.call("sessions", granted=Level.SESSION, serves="mine", folder=ROOT).sessions != []
    with pytest.raises(OutOfScope):
        desk.call("sessions", granted=Level.PROJECT, folder="/elsewhere", project=ROOT)
    for operation, field in (("original", "session"), ("show", "target")):
        with pytest.raises(OutOfScope):
            desk.call(operation, granted=Level.PROJECT, folder="/elsewhere", **{field: "mine"})


def test_an_answer_says_that_its_scope_was_narrowed_and_nothing_of_what_lies_beyond(desk: Desk) -> None:
    desk.admit("mine", exchange(1))
    for operation, asked in (("search", {"query": "exchange"}), ("grep", {"pattern": "e"})):
        here = {"granted": Level.PROJECT, "folder": "/elsewhere"}
        wide = desk.call(operation, scope="all", **here, **asked).account
        own = desk.call(operation, scope="project", **here, **asked).account
        assert wide == {**own, "narrowed": True}
        assert (wide["scope"], "narrowed" in own) == ("project", False)
        for scope in ("", "session", "all"):
            found = desk.call(operation, scope=scope, folder=ROOT, serves="mine", **asked)
            assert "narrowed" not in found.account


def test_the_scope_of_a_session_is_that_of_the_one_that_is_named(desk: Desk) -> None:
    desk.admit("mine", exchange(2))
    desk.admit("other", exchange(2))
    for operation, asked in (("search", {"query": "exchange"}), ("grep", {"pattern": "e"})):
        with pytest.raises(InvalidInput, match="needs a session"):
            desk.call(operation, scope="session", **asked)
        found = desk.call(operation, scope="session", filters=Filters(session="mine"), **asked)
        assert {hit.host_session for hit in found.hits} <= {"mine"}
        assert found.account["scope"] == "session"
        here = {"granted": Level.PROJECT, "folder": "/elsewhere", "scope": "session"}
        with pytest.raises(OutOfScope):
            desk.call(operation, filters=Filters(session="mine"), **here, **asked)


def test_a_cursor_of_another_question_is_refused(desk: Desk) -> None:
    desk.admit("mine", exchange(3))
    following = desk.call("grep", pattern="e", limit=1).next
    assert desk.call("grep", pattern="e", limit=2, cursor=following).hits
    for changed in ({"pattern": "x"}, {"ignore_case": True}, {"filters": Filters(roles=["user"])}):
        with pytest.raises(InvalidCursor):
            desk.call("grep", **{"pattern": "e", "cursor": following, **changed})


def test_linked_projects_see_each_other_until_they_are_unlinked(desk: Desk) -> None:
    desk.admit("mine", exchange(1))
    linked = desk.call("project", action="link", path="/elsewhere", other=ROOT).projects
    assert [item["roots"] for item in linked] == [["/elsewhere"], [ROOT]]
    assert len(desk.call("sessions", granted=Level.PROJECT, folder="/elsewhere").sessions) == 1
    assert desk.call("project", action="link", path="/elsewhere", other=ROOT).projects == linked
    for action in ("link", "unlink"):
        with pytest.raises(OutOfScope):
            desk.call("project", action=action, path="/elsewhere", other=ROOT, granted=Level.PROJECT)
    desk.call("project", action="unlink", path=ROOT)
    assert desk.call("sessions", granted=Level.PROJECT, folder="/elsewhere").sessions == []
    assert [item["links"] for item in desk.call("project").projects] == [[], []]


def test_projects_are_shown_by_folder_and_refused_by_nonsense(desk: Desk) -> None:
    desk.admit("mine", exchange(1))
    assert desk.call("project", action="show", path=ROOT).projects[0]["project"] == PROJECT.hex()
    assert desk.call("project", action="show", path="/new").projects[0]["roots"] == ["/new"]
    with pytest.raises(InvalidInput, match="action"):
        desk.call("project", action="frobnicate")
    with pytest.raises(InvalidInput, match="other"):
        desk.call("project", action="link", path="/a")
    for name in ("0" * 32, "/nothing/of/this"):
        with pytest.raises(NotFound):
            desk.call("sessions", project=name)


# --- originals ---


def test_an_original_comes_back_in_pages_byte_for_byte(desk: Desk) -> None:
    data = desk.admit("mine", exchange(50))
    parts, offset = [], 0
    while True:
        page = desk.call("original", session="mine", offset=offset, limit=300)
        parts.append(base64.b64decode(page.data))
        offset += len(parts[-1])
        if page.done:
            break
    assert b"".join(parts) == data
    assert (page.size, page.identical, page.redactions, page.path) == (len(data), True, 0, "/t/mine.toy")
    assert page.name == "mine.toy"
    listing = desk.call("original", session="mine", listing=True)
    assert (listing.data, listing.done) == ("", True)
    assert [item["size"] for item in listing.origins] == [len(data)]


def test_an_original_says_that_secrets_were_taken_out(desk: Desk) -> None:
    desk.admit("mine", [{"id": "a", "text": "the password is hunter2", "human": True}])
    page = desk.call("original", session="mine")
    assert (page.identical, page.redactions) == (False, 1)
    assert b"hunter2" not in base64.b64decode(page.data)


def test_originals_are_refused_by_what_is_wrong_with_the_request(desk: Desk) -> None:
    desk.admit("mine", exchange(1))
    for params in ({"offset": -1}, {"limit": -1}, {"limit": 1 << 30}):
        with pytest.raises(InvalidInput) as caught:
            desk.call("original", session="mine", **params)
        assert caught.value.details["field"] in params
    with pytest.raises(NotFound, match="no such file"):
        desk.call("original", session="mine", origin="/t/other.toy")
    with pytest.raises(SessionNotFound):
        desk.call("original", session="nobody")
    desk.admit("mineralogy", exchange(1))
    assert desk.call("original", session="mine").path == "/t/mine.toy"
    desk.admit("mineralogist", exchange(1))
    with pytest.raises(AmbiguousName):
        desk.call("original", session="mineralo")


# --- show ---


def test_a_session_is_shown_in_order_and_in_pages(desk: Desk) -> None:
    desk.admit("mine", exchange(5))
    texts: list[str] = []
    cursor = ""
    while True:
        page = desk.call("show", target="mine", limit=3, cursor=cursor)
        texts += [event["text"] for event in page.events]
        cursor = page.next
        if not cursor:
            break
    assert texts == [f"{kind} {number}" for number in range(5) for kind in ("question", "answer")]
    assert page.session.host_session == "mine"
    first = desk.call("show", target="mine", limit=1).events[0]
    assert first["source_key"] == "toy:mine:q0"
    assert (first["role"], first["bytes"], first["omitted"]) == ("user", len("question 0"), 0)


def test_a_page_of_text_is_bounded_and_says_what_it_left_out(desk: Desk) -> None:
    desk.admit("mine", [{"id": "a", "text": "ü" * 100, "human": True}, {"id": "b", "text": "b" * 50}])
    page = desk.call("show", target="mine", max_bytes=51)
    assert [(event["text"], event["omitted"]) for event in page.events] == [("ü" * 25, 149)]
    following = desk.call("show", target="mine", max_bytes=51, cursor=page.next)
    assert [event["text"] for event in following.events] == ["b" * 50]


def test_an_event_and_a_document_are_shown_alone(desk: Desk) -> None:
    desk.admit("mine", exchange(3))
    events = desk.call("show", target="mine").events
    alone = desk.call("show", target=events[2]["event"])
    assert [event["text"] for event in alone.events] == ["question 1"]
    with desk.store.snapshot() as reader:
        from unabridged.schema.records import DOCUMENT

        document = reader.scan(DOCUMENT, (PROJECT,))[0]
    shown = desk.call("show", target=document.id.hex())
    assert [event["text"] for event in shown.events] == ["question 0", "answer 0"]


def test_show_refuses_what_is_out_of_bounds(desk: Desk) -> None:
    desk.admit("mine", exchange(1))
    for params in ({"limit": 0}, {"limit": 10_000}, {"max_bytes": 0}, {"max_bytes": 1 << 30}):
        with pytest.raises(LimitExceeded):
            desk.call("show", target="mine", **params)
    with pytest.raises(InvalidCursor):
        desk.call("show", target="mine", cursor="nonsense")
    with pytest.raises(SessionNotFound):
        desk.call("show", target="0" * 40)


# --- notes, imports ---


def test_a_note_is_redacted_admitted_and_replayed(desk: Desk) -> None:
    first = desk.call("note", text="the password is hunter2", request="r1", folder=ROOT, title="hunter2")
    again = desk.call("note", text="the password is hunter2", request="r1", folder=ROOT, title="hunter2")
    assert (first.position, first.replayed, again.replayed) == (1, False, True)
    assert (again.document, again.event) == (first.document, first.event)
    events = desk.call("show", target=first.event).events
    assert events[0]["text"] == "the password is [redacted]"
    with pytest.raises(Conflict):
        desk.call("note", text="something else", request="r1", folder=ROOT)


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({"text": "  \n"}, InvalidInput),
        ({"text": "a", "request": "r" * 300}, LimitExceeded),
        ({"text": "a", "subject_key": "k" * 300}, LimitExceeded),
        ({"text": "a", "title": "t" * 300}, LimitExceeded),
        ({"text": "a" * ((8 << 20) + 1)}, LimitExceeded),
    ],
)
def test_a_bad_note_is_refused_and_nothing_is_written(
    desk: Desk, params: dict[str, str], error: type[Exception]
) -> None:
    with pytest.raises(error):
        desk.call("note", folder=ROOT, **params)
    assert desk.call("stats").totals["events"] == 0


def test_nothing_is_admitted_while_the_disk_is_low_and_reading_goes_on(desk: Desk) -> None:
    desk.admit("mine", exchange(1))
    desk.daemon.low = True
    for operation, params in (("note", {"text": "a"}), ("import", {"paths": ["/a"]})):
        with pytest.raises(DiskLow) as caught:
            desk.call(operation, **params)
        assert caught.value.retryable
    assert desk.importer.asked == []
    assert desk.call("import", paths=["/a"], dry_run=True).files == 0
    assert len(desk.call("show", target="mine").events) == 2
    status = desk.call("status")
    assert not status.ok
    assert [problem["code"] for problem in status.problems] == ["disk-low"]
    assert status.problems[0]["hint"] == DiskLow.hint


def test_a_full_disk_is_told_once_whatever_limit_is_set(desk: Desk) -> None:
    desk.daemon.full = desk.daemon.low = True
    status = desk.call("status")
    assert [problem["code"] for problem in status.problems] == ["disk-full"]
    assert (status.ok, status.problems[0]["hint"]) == (False, DiskFull.hint)


@pytest.mark.parametrize("error", [DiskFull, ReadOnly, StoreFailed])
def test_a_store_that_cannot_be_written_to_is_told_with_a_hint(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, error: type[UnabridgedError]
) -> None:
    monkeypatch.setattr(desk.store, "usage", lambda: Usage(7, failure=error.code))
    status, doctor = desk.call("status"), desk.call("doctor")
    assert not status.ok
    assert [(problem["code"], problem["hint"]) for problem in status.problems] == [(error.code, error.hint)]
    wrong = [(check["check"], check["hint"]) for check in doctor.checks if not check["ok"]]
    assert wrong == [("store", error.hint)]


@pytest.mark.parametrize("path", ["", "a\0b", "x" * 5_000])
def test_paths_that_no_system_has_are_refused(desk: Desk, path: str) -> None:
    for operation, params in (("import", {"paths": [path]}), ("notify", {"path": path})):
        with pytest.raises(InvalidInput):
            desk.call(operation, **params)
    assert (desk.importer.asked, desk.importer.notified) == ([], [])


def test_a_relative_path_is_taken_from_the_callers_folder(desk: Desk) -> None:
    desk.call("import", folder="/where/i/am", paths=["sub/t.jsonl", "/absolute"])
    assert desk.importer.asked[0].paths == ["/where/i/am/sub/t.jsonl", "/absolute"]
    with pytest.raises(InvalidInput, match="relative"):
        desk.call("import", paths=["sub"])


def test_a_host_that_ends_a_session_ends_its_turn(desk: Desk) -> None:
    desk.call("notify", path="/t/a.jsonl", host="toy", event="Stop")
    desk.call("notify", path="/t/a.jsonl", host="toy", event="SessionEnd")
    assert desk.importer.notified == [("/t/a.jsonl", "toy", False), ("/t/a.jsonl", "toy", True)]


@pytest.mark.parametrize("folder", ["/a\0b", "/" + "a" * 5_000])
def test_folders_that_no_system_has_are_refused(desk: Desk, folder: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        desk.call("sessions", project=folder)
    assert caught.value.details["field"] == "project"


# --- care ---


def test_status_counts_what_is_there_and_says_what_is_wrong(desk: Desk) -> None:
    desk.admit("mine", exchange(2))
    status = desk.call("status")
    assert (status.ok, status.problems, status.version) == (True, [], "9")
    assert (status.store["events"], status.store["documents"], status.store["projects"]) == (4, 2, 1)
    desk.index.state = "failed"
    desk.daemon.wrong.append({"code": "setting-ignored", "message": "m"})
    assert [item["code"] for item in desk.call("status").problems] == ["index-failed", "setting-ignored"]


def test_stats_name_every_project_with_its_sizes(desk: Desk) -> None:
    data = desk.admit("mine", exchange(2))
    stats = desk.call("stats")
    assert stats.projects[0]["roots"] == [ROOT]
    assert stats.projects[0]["raw_bytes"] == stats.totals["raw_bytes"] == len(data)
    assert stats.disk["index"] == 7
    assert stats.operations[0]["operation"] == "search"


def test_verify_finds_nothing_in_a_sound_archive_and_counts_what_it_looked_at(desk: Desk) -> None:
    desk.admit("mine", exchange(2))
    answer = desk.call("verify")
    assert (answer.ok, answer.violations) == (True, [])
    assert sum(answer.checked.values()) > 4
    assert desk.call("verify", deep=False, project=ROOT).ok
    assert {"phase", "check"} <= set(desk.progress[0])


def test_doctor_passes_on_what_is_wrong_and_mends_the_index_when_asked(desk: Desk) -> None:
    assert desk.call("doctor").ok
    desk.index.state = "failed"
    desk.daemon.findings.append(Finding("socket", False, "too open", "close it"))
    answer = desk.call("doctor")
    assert not answer.ok
    assert {item["check"] for item in answer.checks if not item["ok"]} == {"socket", "index"}
    assert desk.index.rebuilt == []
    mended = desk.call("doctor", fix=True)
    assert [item["fixed"] for item in mended.checks if item["check"] == "index"] == [True]
    assert desk.index.rebuilt == [False]


def test_the_index_is_shown_rebuilt_and_verified(desk: Desk) -> None:
    assert desk.call("index").status["state"] == "current"
    assert desk.call("index", action="rebuild", wait=False).ok
    assert desk.index.rebuilt == [False]
    assert desk.call("index", action="verify").status["equal"]
    with pytest.raises(InvalidInput):
        desk.call("index", action="polish")


def test_shutdown_stops_with_its_reason(desk: Desk) -> None:
    desk.call("shutdown", reason="because")
    desk.call("shutdown")
    assert desk.daemon.stopped == ["because", "asked by a client"]
    assert desk.call("ping").pid == 4242
    assert desk.call("daemon.status").slow[0]["operation"] == "search"


def test_the_outbox_is_shown_only_to_who_sees_everything(desk: Desk) -> None:
    assert desk.call("outbox").entries == []
    with pytest.raises(OutOfScope):
        desk.call("outbox", granted=Level.PROJECT)
    with pytest.raises(InvalidInput):
        desk.call("outbox", action="drop")
    with pytest.raises(InvalidInput):
        desk.call("outbox", action="burn")
    with pytest.raises(NotFound):
        desk.call("outbox", action="replay", ids=["a"])
