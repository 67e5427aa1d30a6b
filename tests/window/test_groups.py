"""Where a conversation may be cut, and what always stays."""

from __future__ import annotations

from tests.window.build import call, conversation, memory, result, said, system, user
from unabridged.window.groups import Pinned, groups
from unabridged.window.messages import Item


def shape(*items: Item):
    return groups(conversation(*items).items)


def test_a_group_starts_at_each_user_message_and_results_are_none() -> None:
    found = shape(user("a"), call("1"), result("1", "r"), said("b"), user("c"), said("d"))
    assert found.users == (0, 4)
    assert found.cuts == (0, 4)
    assert found.newest == 4
    assert found.fresh == 6


def test_no_cut_parts_a_call_from_its_result() -> None:
    found = shape(user("a"), call("1"), user("meanwhile"), result("1", "r"), user("b"))
    assert found.users == (0, 2, 4)
    assert found.cuts == (0, 4)


def test_parallel_calls_stay_with_all_their_results() -> None:
    found = shape(user("a"), call("1"), call("2"), result("2", "r"), user("b"), result("1", "r"), user("c"))
    assert found.cuts == (0, 6)


def test_what_a_host_adds_to_a_prompt_is_part_of_the_newest_request() -> None:
    found = shape(user("a"), said("b"), user("prompt"), system("hook"), user("recalled memory"))
    assert found.newest == 2
    assert found.fresh == 2


def test_a_conversation_without_a_user_has_no_place_for_a_cut() -> None:
    found = shape(said("a"), said("b"))
    assert (found.users, found.cuts, found.newest) == ((), (), 2)
    assert shape().users == ()


def test_leading_system_messages_and_environments_are_pinned() -> None:
    found = shape(
        system("rules"),
        user("# AGENTS.md instructions for /srv\n"),
        user("<environment_context>cwd</environment_context>"),
        system("session"),
        user("prompt"),
        system("hook of the prompt"),
        said("so"),
        system("later"),
    )
    assert found.front == tuple(Pinned(index, 1) for index in range(4))
    assert found.users == (4,)


def test_an_environment_said_again_behind_a_hosts_summary_is_pinned() -> None:
    found = shape(
        user("This session is being continued"),
        said("so"),
        user("<system-reminder>rules"),
        system("tools"),
        said("x"),
    )
    assert found.front == (Pinned(2, 1), Pinned(3, 1))


def test_a_providers_own_memory_stays_wherever_it_stands() -> None:
    found = shape(user("a"), said("b"), user("c"), user("d"), user("e"), user("f"), memory("m"), user("g"))
    assert Pinned(6, 1) in found.front
