"""The epoch window on conversations made by hand: when it rotates, what it keeps, what it says."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from tests.window import build
from tests.window.build import call, conversation, keys, result, said, system, user
from tests.window.scripts import EVERYTHING
from unabridged.window.calibration import Calibration
from unabridged.window.epoch import Plan, plan
from unabridged.window.forgetting import forgotten
from unabridged.window.handover import handover
from unabridged.window.limits import Gates, Limits, Profile, limits
from unabridged.window.messages import Conversation, Item
from unabridged.window.notices import Code
from unabridged.window.rotation import READ_PRICE, WRITE_PRICE
from unabridged.window.state import State, decode, encode, forced, reset
from unabridged.window.window import Added, Edited, Span

DEFAULT = limits(Profile(), 200_000)
NEW = State(address="gateway:s")


def turns(count: int, words: int = 120, first: int = 0) -> list[Item]:
    """Turns that are long enough for the limit of turns to save something."""
    return build.turns(count, words, first)


def codes(made: Plan) -> set[Code]:
    return {notice.code for notice in made.notices}


def texts(made: Plan, index: int) -> list[str]:
    edited = [piece for piece in made.window if isinstance(piece, Edited) and piece.index == index]
    return [text.text for piece in edited for text in piece.texts]


def grown(talk: Conversation, *items: object) -> Conversation:
    return conversation(*talk.items, *items)  # type: ignore[arg-type]


def test_twenty_user_messages_end_an_epoch_and_five_turns_stay() -> None:
    nineteen = conversation(*turns(19))
    made = plan(nineteen, NEW, DEFAULT, EVERYTHING)
    assert made.window == (Span(0, 38),)
    assert not made.rotated
    twenty = grown(nineteen, user("question 19"))
    made = plan(twenty, made.state, DEFAULT, EVERYTHING)
    assert made.rotated
    assert made.state.cut.index == 30
    assert made.state.retained == 5
    assert isinstance(made.window[0], Added)
    assert made.window[1:] == (Span(30, 39),)
    assert made.window[0].text.count("\n- ") == 15
    assert Code.EMERGENCY_RETENTION not in codes(made)


def sent_turn_by_turn(limits: Limits, count: int, words: int, fixed: int = 0) -> list[Plan]:
    """The plans of a conversation whose user asks so many times."""
    found, state = list[Plan](), State(address="gateway:s", calibration=Calibration(1.0, 1))
    for asked in range(count):
        items = (
            *conversation(*turns(asked, words=words)).items,
            user(f"question {asked} " + "word " * words),
        )
        found.append(plan(Conversation("m", items, fixed), state, limits, EVERYTHING))
        state = found[-1].state
    return found


def test_where_each_turn_would_end_an_epoch_it_is_kept_and_the_reason_is_told() -> None:
    """A large `max_tokens` leaves little of a small window, and a system prompt takes most of that."""
    little = limits(Profile(), 32_000, 24_000)
    made = sent_turn_by_turn(little, 40, words=450, fixed=4_500)
    cut = [at for at, one in enumerate(made) if one.rotated]
    assert all(second - first > 1 for first, second in pairwise(cut))
    assert all(one.tokens < little.window for one in made)
    kept = [one for one in made if Code.EPOCH_KEPT in codes(one)]
    assert len(kept) > 5
    for one in kept:
        assert not one.rotated
        assert any("end with the next turn" in notice.text for notice in one.notices)
        assert Code.CHECKPOINT_NEEDED not in codes(one)


def test_a_cap_of_the_user_is_kept_even_where_each_turn_ends_an_epoch() -> None:
    capped = limits(Profile(hard_tokens=6_400), 32_000, 24_000)
    for one in sent_turn_by_turn(capped, 20, words=450, fixed=4_500):
        assert one.tokens < 6_400 or Code.CHECKPOINT_NEEDED in codes(one)


def test_a_limit_of_tokens_that_a_person_set_is_passed_by_a_quarter_at_most() -> None:
    capped = limits(Profile(rotation_tokens=10_000), 200_000)
    made = sent_turn_by_turn(capped, 40, words=714, fixed=8_000)
    kept = [one.tokens for one in made if Code.EPOCH_KEPT in codes(one)]
    assert len(kept) > 5
    assert max(one.tokens for one in made) < 12_500


def cost(made: Sequence[Plan], items: int) -> float:
    """What requests cost, in tokens at full price: what the last one had at the beginning is read, the rest written."""
    total, before = 0.0, list[tuple[str, int]]()
    all_items = conversation(*turns(items, words=2)).items
    for one in made:
        pieces = list[tuple[str, int]]()
        for piece in one.window:
            if isinstance(piece, Span):
                pieces += [(item.key, item.tokens) for item in all_items[piece.start : piece.stop]]
            elif isinstance(piece, Added):
                pieces.append((piece.text, len(piece.text) // 4))
        same = next(
            (at for at, (a, b) in enumerate(zip(before, pieces, strict=False)) if a != b), len(before)
        )
        total += sum(size for _, size in pieces[:same]) * READ_PRICE
        total += sum(size for _, size in pieces[same:]) * WRITE_PRICE
        before = pieces
    return total


def test_short_turns_end_an_epoch_when_that_saves_more_than_it_costs() -> None:
    made = sent_turn_by_turn(DEFAULT, 120, words=2)
    before = sent_turn_by_turn(replace(DEFAULT, rotation_turns=10_000), 120, words=2)
    often = [at for at, one in enumerate(made) if one.rotated]
    assert 0 < len(often) < 7
    told = [notice.text for one in made for notice in one.notices if notice.code is Code.EPOCH_KEPT]
    assert any("turns a new one would cost more than it saves" in text for text in told)
    assert cost(made, 120) < cost(before, 120)


def test_a_limit_of_turns_that_a_person_set_holds_whatever_it_costs() -> None:
    made = sent_turn_by_turn(limits(Profile(rotation_turns=10), 200_000), 31, words=2)
    assert [at for at, one in enumerate(made) if one.rotated] == [9, 14, 19, 24, 29]


def test_an_epoch_ends_where_its_tokens_reach_the_rotation_limit() -> None:
    small = replace(DEFAULT, rotation=10_000, hard=12_000)
    talk = conversation(*turns(8, words=400))
    made = plan(talk, NEW, small, EVERYTHING)
    assert not made.rotated
    assert Code.NEAR_LIMIT in codes(made)
    made = plan(conversation(*turns(11, words=400)), made.state, small, EVERYTHING)
    assert made.rotated
    assert made.state.retained == 5
    assert made.tokens < small.refill


def test_fewer_turns_stay_where_they_are_long_and_it_is_said_until_four_more_came() -> None:
    small = replace(DEFAULT, rotation=10_000, hard=12_000)
    talk = conversation(*turns(6, words=1_200))
    made = plan(talk, NEW, small, EVERYTHING)
    assert made.rotated
    assert made.state.retained == 2
    assert any("emergency retention 2/5" in notice.text for notice in made.notices)
    state, seen = made.state, list[bool]()
    for number in range(5):
        talk = grown(talk, *turns(1, first=100 + number))
        made = plan(talk, state, small, EVERYTHING)
        state = made.state
        seen.append(Code.EMERGENCY_RETENTION in codes(made))
    assert seen == [True, True, True, False, False]


def test_an_epoch_does_not_begin_so_full_that_it_ends_at_once() -> None:
    small = replace(DEFAULT, rotation=10_000, hard=12_000)
    talk, state, rotations = conversation(), NEW, 0
    for number in range(60):
        talk = grown(talk, *turns(1, words=700, first=number))
        made = plan(talk, state, small, EVERYTHING)
        rotations += made.rotated
        state = made.state
        assert made.tokens < small.rotation
    assert 10 < rotations <= 30


def test_nothing_is_cut_before_it_is_durable_and_what_is_missing_is_named() -> None:
    talk = conversation(*turns(20))
    made = plan(talk, NEW, DEFAULT)
    assert made.window == (Span(0, 40),)
    assert Code.NOT_ARCHIVED in codes(made)
    assert {one.key for one in made.archive} == {item.key for item in talk.items[:38]}
    half = plan(talk, NEW, DEFAULT, frozenset(item.key for item in talk.items[:33]))
    assert half.state.cut.index == 30
    assert half.archive == ()
    some = frozenset(item.key for item in talk.items if item is not talk.items[7])
    made = plan(talk, NEW, DEFAULT, some)
    assert not made.rotated
    assert [one.index for one in made.archive] == [7]


def test_a_long_result_is_a_preview_from_its_first_request_on() -> None:
    long = "first line\n" + "middle of it\n" * 2_000 + "last line"
    talk = conversation(user("go"), call("1"), result("1", long))
    made = plan(talk, NEW, DEFAULT, EVERYTHING)
    (text,) = texts(made, 2)
    name = f"gateway:s:{talk.items[2].name()}"
    assert text.startswith("first line\n")
    assert text.endswith("last line")
    assert f"Recall `{name}`" in text
    assert len(text) < 4_000
    head, _, tail = text.partition("\n[…")
    assert 0.6 < len(head) / (len(head) + len(tail.partition("…]\n")[2])) < 0.8
    assert made.omissions[0].name == name
    assert (
        plan(
            conversation(user("go"), call("1"), result("1", "x" * 16_000)), NEW, DEFAULT, EVERYTHING
        ).omissions
        == ()
    )


def test_a_result_that_was_shown_whole_stays_whole_until_the_next_rotation() -> None:
    talk = conversation(user("go"), call("1"), result("1", "long " * 5_000), said("done"))
    made = plan(talk, NEW, DEFAULT)
    assert made.window == (Span(0, 4),)
    assert [one.what for one in made.archive] == ["tool result"]
    later = plan(grown(talk, user("next")), decode(encode(made.state)), DEFAULT, EVERYTHING)
    assert later.window == (Span(0, 5),)
    assert later.archive == ()


def test_the_gate_is_lower_once_many_results_were_admitted_and_only_for_later_ones() -> None:
    gates = Gates(result=4_000, pressure=1_000, budget=6_000)
    small = replace(DEFAULT, gates=gates)
    items = [user("go")]
    for number in range(4):
        items += [call(str(number), f'{{"n":{number}}}'), result(str(number), f"{number} " * 6_000)]
    made = plan(conversation(*items), NEW, small, EVERYTHING)
    assert [bool(texts(made, index)) for index in (2, 4, 6, 8)] == [False, False, True, True]


def test_the_same_result_of_the_same_call_is_a_line() -> None:
    output = "the same output " * 50
    talk = conversation(
        user("go"),
        call("1", '{"a":1}'),
        result("1", output),
        call("2", '{"a":1}'),
        result("2", output),
        call("3", '{"a":2}'),
        result("3", output),
        call("4", '{"a":1}', tool="Read"),
        result("4", output),
    )
    made = plan(talk, NEW, DEFAULT, EVERYTHING)
    assert [bool(texts(made, index)) for index in (2, 4, 6, 8)] == [False, True, False, False]
    (line,) = texts(made, 4)
    assert "\n" not in line
    assert "`1`" in line
    assert talk.items[4].name() in line
    off = replace(DEFAULT, gates=Gates(deduplicate=False))
    assert plan(talk, NEW, off, EVERYTHING).omissions == ()


def test_what_a_recall_brought_back_is_left_whole() -> None:
    long = "evidence " * 5_000
    talk = conversation(
        user("go"),
        call("1", tool="mcp__unabridged__recall"),
        result("1", long + "a"),
        call("2", '{"command":"una recall gateway:s:0a1b"}'),
        result("2", long + "b"),
        call("3", '{"command":"cat x"}'),
        result("3", long + "c"),
    )
    made = plan(talk, NEW, DEFAULT, EVERYTHING)
    assert [bool(texts(made, index)) for index in (2, 4, 6)] == [False, False, True]


def test_long_arguments_are_a_preview_too() -> None:
    talk = conversation(
        user("go"), call("1", '{"content":"' + "x " * 10_000 + '"}', tool="Write"), result("1", "ok")
    )
    made = plan(talk, NEW, DEFAULT, EVERYTHING)
    assert len(texts(made, 1)) == 1
    assert [one.what for one in made.omissions] == ["tool's arguments"]


def test_results_that_stay_are_decided_anew_once_at_a_rotation() -> None:
    items = turns(19)
    items[-1:] = [call("1"), result("1", "line of it\n" * 600), said("so")]
    talk = conversation(*items, user("question 19"))
    made = plan(conversation(*items), NEW, DEFAULT, EVERYTHING)
    assert made.omissions == ()
    made = plan(talk, made.state, DEFAULT, EVERYTHING)
    assert made.rotated
    index = next(index for index, item in enumerate(talk.items) if item.role.value == "tool")
    (text,) = texts(made, index)
    later = plan(grown(talk, said("a"), user("b")), decode(encode(made.state)), DEFAULT, EVERYTHING)
    assert texts(later, index) == [text]


def test_results_that_the_model_has_not_seen_are_not_made_smaller_by_a_rotation() -> None:
    talk = conversation(*turns(19), user("question 19"), call("1"), result("1", "line of it\n" * 600))
    state = plan(conversation(*turns(19)), NEW, DEFAULT, EVERYTHING).state
    made = plan(talk, state, DEFAULT, EVERYTHING)
    assert made.rotated
    assert made.omissions == ()


def test_a_long_newest_message_is_a_preview_only_once_it_is_durable() -> None:
    talk = conversation(user("see this:\n" + "pasted line\n" * 8_000))
    made = plan(talk, NEW, DEFAULT)
    assert made.window == (Span(0, 1),)
    assert Code.INPUT_NOT_ARCHIVED in codes(made)
    assert [one.what for one in made.archive] == ["message"]
    made = plan(talk, NEW, DEFAULT, EVERYTHING)
    assert texts(made, 0)[0].startswith("see this:\npasted line")
    assert codes(made) == set()


def test_one_request_that_is_too_long_gets_smaller_previews_and_is_not_cut() -> None:
    small = replace(
        DEFAULT, rotation=8_000, hard=10_000, gates=Gates(result=4_000, pressure=1_000, budget=50_000)
    )
    items = [user("do it all")]
    state, rotated, worst = NEW, 0, 0
    for number in range(40):
        items += [call(str(number), f'{{"n":{number}}}'), result(str(number), f"{number} line\n" * 400)]
        made = plan(conversation(*items), state, small, EVERYTHING)
        state = made.state
        rotated += made.rotated
        worst = max(worst, made.tokens)
        assert made.state.cut.index == 0
        assert texts(made, len(items) - 1) == []
        assert plan(conversation(*items), state, small, EVERYTHING).state == state
    assert 0 < rotated < 12
    assert worst < small.hard or Code.CHECKPOINT_NEEDED in codes(made)


def test_a_request_that_cannot_be_made_shorter_asks_for_a_checkpoint_and_passes() -> None:
    small = replace(DEFAULT, rotation=1_000, hard=1_200)
    talk = conversation(user("x " * 4_000))
    made = plan(talk, NEW, small, EVERYTHING)
    assert made.window == (Span(0, 1),)
    assert codes(made) == {Code.AT_LIMIT, Code.CHECKPOINT_NEEDED}


def test_erased_text_that_a_host_still_sends_passes_and_its_turn_is_not_cut() -> None:
    talk = conversation(*turns(20))
    erased = frozenset({talk.items[4].key})
    made = plan(talk, NEW, DEFAULT, keys(talk) - erased, erased)
    assert made.rotated
    assert made.window[1:] == (Span(4, 6), Span(30, 40))
    assert talk.items[4].name() not in made.state.catalogue
    assert made.state.catalogue.count("\n- ") == 14
    long = conversation(user("go"), call("1"), result("1", "secret " * 5_000))
    gone = frozenset({long.items[2].key})
    made = plan(long, NEW, DEFAULT, keys(long) - gone, gone)
    assert made.window == (Span(0, 3),)
    assert made.archive == ()


def test_what_was_erased_later_leaves_the_table_of_contents() -> None:
    talk = conversation(*turns(20))
    state = plan(talk, NEW, DEFAULT, EVERYTHING).state
    assert "question 3 " in state.catalogue
    after = forgotten(state, [talk.items[6].key])
    assert "question 3 " not in after.catalogue
    assert after.catalogue.count("\n- ") == 14
    assert forgotten(after, ["0" * 32]) == after


def test_a_secret_is_in_no_word_of_the_table_of_contents() -> None:
    def redact(text: str) -> str:
        return text.replace("hunter2_x", "[redacted]")

    talk = conversation(
        *[one for number in range(20) for one in (user(f"use hunter2_x {number}"), said("hunter2_x " * 200))]
    )
    made = plan(talk, NEW, DEFAULT, EVERYTHING, redact=redact)
    assert made.rotated
    assert b"hunter2_x" not in encode(made.state)
    assert "use [redacted] 3" in made.state.catalogue
    given = handover(talk, NEW, keys(talk), redact=redact)
    assert "hunter2_x" not in given.text
    assert b"hunter2_x" not in encode(given.state)


def test_a_rotation_that_a_person_asks_for_happens_once() -> None:
    talk = conversation(*turns(8))
    made = plan(talk, forced(NEW), DEFAULT, EVERYTHING)
    assert made.rotated
    assert made.state.cut.index == 6
    assert not made.state.forced
    alone = plan(conversation(user("hello")), forced(NEW), DEFAULT, EVERYTHING)
    assert codes(alone) == {Code.NOTHING_TO_ROTATE}
    assert not alone.state.forced


def test_a_window_that_is_turned_off_lets_all_pass() -> None:
    talk = conversation(*turns(30), call("1"), result("1", "x " * 50_000))
    made = plan(talk, NEW, replace(DEFAULT, enabled=False), EVERYTHING)
    assert made.window == (Span(0, 62),)
    assert made.state == NEW


def test_a_fork_makes_the_same_window_and_goes_its_own_way() -> None:
    talk = conversation(*turns(20))
    state = plan(talk, NEW, DEFAULT, EVERYTHING).state
    left = plan(grown(talk, user("left")), state, DEFAULT, EVERYTHING)
    right = plan(grown(talk, user("right")), decode(encode(state)), DEFAULT, EVERYTHING)
    assert left.window == right.window
    assert left.state.cut == right.state.cut
    assert left.state.shown != right.state.shown


def test_no_old_boundary_comes_back_after_a_host_made_its_history_short() -> None:
    talk = conversation(*turns(20))
    state = plan(talk, NEW, DEFAULT, EVERYTHING).state
    after = conversation(user("This session is being continued"), *talk.items[30:], user("next"))
    made = plan(after, reset(state), DEFAULT, EVERYTHING)
    assert made.window == (Span(0, len(after.items)),)
    unnoticed = plan(after, state, DEFAULT, EVERYTHING)
    assert unnoticed.window == (Span(0, len(after.items)),)
    assert Code.HISTORY_CHANGED in codes(unnoticed)
    assert unnoticed.state.entries == state.entries
    again = plan(talk, unnoticed.state, DEFAULT, EVERYTHING)
    assert again.state.catalogue.count("\n- ") == 15


def test_a_small_change_of_the_history_before_the_cut_keeps_it_if_all_is_durable() -> None:
    talk = conversation(*turns(20))
    state = plan(talk, NEW, DEFAULT, EVERYTHING).state
    items = list(talk.items)
    changed = conversation(*items[:5], said("a note"), *items[5:])
    made = plan(changed, state, DEFAULT, EVERYTHING)
    assert made.state.cut.index == 31
    assert made.window[1:] == (Span(31, 41),)
    assert not made.rotated
    unknown = plan(changed, state, DEFAULT, keys(talk))
    assert unknown.window == (Span(0, 41),)


def test_a_host_that_compacts_gets_the_table_of_contents_once_all_is_archived() -> None:
    talk = conversation(system("rules"), *turns(30))
    state = plan(talk, NEW, DEFAULT, EVERYTHING).state
    waiting = handover(talk, state, frozenset())
    assert len(waiting.archive) == 61
    given = handover(talk, state, keys(talk))
    assert given.archive == ()
    assert "30 turns" in given.text
    assert "question 29 " in given.text
    assert given.state.cut.index == 0
    assert given.state.catalogue == ""


def test_the_state_of_a_long_conversation_is_small() -> None:
    talk, state = conversation(), NEW
    for number in range(0, 400, 10):
        talk = grown(talk, *turns(10, first=number))
        state = plan(talk, state, DEFAULT, EVERYTHING).state
    assert len(encode(state)) < 64_000
    assert state.epoch == 20
