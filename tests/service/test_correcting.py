"""What a correction does to what it corrects, and whom it is refused to."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service.desk import NOW, Desk
from tests.service.test_handlers import ROOT, exchange
from unabridged.errors import Conflict, DiskLow, InvalidInput, NotFound, OutOfScope, UnabridgedError
from unabridged.schema.ids import Ordinal, project_id
from unabridged.schema.records import SUPERSESSION, Supersession
from unabridged.schema.scope import Level
from unabridged.store.contract import Batch


def noted(desk: Desk, text: str, **more: Any) -> Any:
    return desk.call("note", text=text, folder=ROOT, **more)


def correct(desk: Desk, target: str, text: str, **more: Any) -> Any:
    return desk.call("correct", target=target, text=text, folder=ROOT, **more)


def test_a_note_is_replaced_and_both_are_kept(desk: Desk) -> None:
    wrong = noted(desk, "The timeout is 50 ms.", title="timeout", subject_key="flash.timeout")
    right = correct(desk, wrong.handle, "The timeout is 80 ms.")
    assert (right.corrects, right.corrects_handle) == (wrong.document, wrong.handle)
    old, new = (desk.call("recall", target=name, folder=ROOT) for name in (wrong.handle, right.handle))
    assert (old.status, old.text) == ("superseded", "The timeout is 50 ms.")
    assert (old.replaced_by, old.replaced_by_handle) == (right.document, right.handle)
    assert (new.status, new.text, new.title) == ("resolved", "The timeout is 80 ms.", "timeout")
    # It is the subject's live note, too.
    with pytest.raises(Conflict) as caught:
        noted(desk, "The timeout is 90 ms.", subject_key="flash.timeout")
    assert caught.value.details["live"] == right.document


def test_a_correction_can_be_corrected_and_the_chain_is_told(desk: Desk) -> None:
    first = noted(desk, "Slot A.")
    second = correct(desk, first.handle, "Slot B.")
    third = correct(desk, second.handle, "Slot C.")
    found = desk.call("recall", target=first.document, folder=ROOT)
    assert found.replaced_by_handle == third.handle
    assert [(step["handle"], step["reason"]) for step in found.chain] == [
        (second.handle, "corrected"),
        (third.handle, "corrected"),
    ]
    assert all(step["time"] for step in found.chain)


def test_what_was_replaced_already_cannot_be_corrected_and_it_is_told_what_stands(desk: Desk) -> None:
    first = noted(desk, "Slot A.")
    correct(desk, first.handle, "Slot B.")
    third = correct(desk, desk.call("recall", target=first.handle, folder=ROOT).replaced_by, "Slot C.")
    with pytest.raises(Conflict) as caught:
        correct(desk, first.handle, "Slot D.")
    assert caught.value.details == {"live": third.document, "live_handle": third.handle}
    assert third.handle in caught.value.advice


def test_one_message_is_corrected_and_the_rest_of_its_turn_stands(desk: Desk) -> None:
    desk.admit("mine", exchange(1))
    asked, answered = desk.call("show", target="mine").events
    right = correct(desk, answered["event"], "It was the other way round.", title="order")
    assert right.corrects == answered["event"]
    assert desk.call("recall", target=answered["event"], folder=ROOT).status == "superseded"
    assert desk.call("recall", target=asked["event"], folder=ROOT).status == "resolved"
    turn = desk.call("recall", target=asked["event"], whole=True, folder=ROOT)
    assert [event.get("superseded", False) for event in turn.events] == [False, True]
    assert turn.events[1]["replaced_by"] == right.handle
    assert desk.call("verify", deep=True).ok


def test_the_same_request_again_is_answered_with_the_same_correction(desk: Desk) -> None:
    wrong = noted(desk, "Slot A.")
    first, again = (correct(desk, wrong.handle, "Slot B.", request="r1") for _ in range(2))
    assert (first.replayed, again.replayed) == (False, True)
    assert (first.document, first.handle) == (again.document, again.handle)
    other = noted(desk, "Slot X.")
    with pytest.raises(Conflict):
        correct(desk, other.handle, "Slot B.", request="r1")
    with pytest.raises(Conflict) as caught:
        correct(desk, wrong.handle, "Slot Z.", request="r1")
    assert "request id" in caught.value.message
    assert caught.value.details == {}


def test_a_correction_is_redacted(desk: Desk) -> None:
    right = correct(desk, noted(desk, "a").handle, "the password is hunter2")
    assert "hunter2" not in desk.call("recall", target=right.handle, folder=ROOT).text


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("f" * 40, NotFound),
        ("claude-code:nowhere:nothing", NotFound),
        ("una1_" + "A" * 80, NotFound),
        ("wzzzzzzzzzzz", InvalidInput),
        ("not a name", InvalidInput),
        ("", InvalidInput),
        ("w" * 5_000, InvalidInput),
    ],
)
def test_what_does_not_exist_cannot_be_corrected(
    desk: Desk, target: str, error: type[UnabridgedError]
) -> None:
    before = desk.call("stats").totals["events"]
    with pytest.raises(error) as caught:
        correct(desk, target, "x")
    assert caught.value.details["field"] == "target"
    assert desk.call("stats").totals["events"] == before


def test_a_turn_of_several_messages_is_no_target(desk: Desk) -> None:
    desk.admit("mine", exchange(1))
    document = desk.call("recall", target=desk.call("show", target="mine").events[0]["event"]).document
    with pytest.raises(InvalidInput) as caught:
        correct(desk, document, "x")
    assert "handle" in caught.value.advice


def test_nothing_outside_the_scope_can_be_corrected(desk: Desk) -> None:
    wrong = noted(desk, "Slot A.")
    for target in (wrong.handle, wrong.document):
        with pytest.raises((OutOfScope, NotFound)):
            desk.call("correct", target=target, text="x", folder="/elsewhere", granted=Level.PROJECT)
    assert desk.call("recall", target=wrong.handle, folder=ROOT).status == "resolved"


def test_a_correction_of_another_project_is_kept_there(desk: Desk) -> None:
    wrong = noted(desk, "Slot A.")
    right = desk.call("correct", target=wrong.handle, text="Slot B.", folder="/elsewhere")
    assert desk.call("recall", target=right.handle, folder=ROOT, granted=Level.PROJECT).status == "resolved"


def test_nothing_is_corrected_while_the_disk_is_low(desk: Desk) -> None:
    wrong = noted(desk, "Slot A.")
    desk.daemon.low = True
    with pytest.raises(DiskLow):
        correct(desk, wrong.handle, "Slot B.")


def test_a_note_names_what_it_replaces_by_any_name(desk: Desk) -> None:
    first = noted(desk, "Slot A.")
    second = noted(desk, "Slot B.", supersedes=first.handle)
    third = noted(desk, "Slot C.", supersedes=second.event)
    assert desk.call("recall", target=first.handle, folder=ROOT).replaced_by == third.document
    with pytest.raises(NotFound):
        noted(desk, "Slot D.", supersedes="e" * 40)


def test_a_correction_of_nothing_is_a_violation(desk: Desk) -> None:
    noted(desk, "Slot A.")
    project = project_id(ROOT)
    for old, new in ((Ordinal(900), Ordinal(2)), (Ordinal(1), Ordinal(901))):
        batch = Batch()
        batch.create(SUPERSESSION, Supersession(project, old, new, "corrected", NOW))
        desk.store.commit(project, lambda _, batch=batch: batch)
    found = desk.call("verify")
    assert [item["invariant"] for item in found.violations] == ["supersession-new", "supersession-old"]
