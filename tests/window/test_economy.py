"""What a conversation costs: the cache of beginnings, prices, and the policies that are compared."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from tests.window.build import call, conversation, result, turns, user
from unabridged.errors import InvalidSetting, NotFound
from unabridged.window.economy import FIVE_MINUTES, ONE_HOUR, Ledger, Part, Prompt, together
from unabridged.window.limits import Profile, limits
from unabridged.window.messages import Item
from unabridged.window.policies import COMPACTION_RESERVE, SUMMARY_TOKENS, Compacting, Epoch, Sliding, Whole
from unabridged.window.prices import Price, table

PRICE = Price(input=1.0, cache_read=0.1, cache_write=1.25, cache_write_hour=2.0, output=5.0)
NOTHING = Whole(0, 1)


def prompt(*parts: tuple[str, int]) -> Prompt:
    return tuple(Part(name, tokens) for name, tokens in parts)


def test_the_common_beginning_is_read_and_the_rest_is_written() -> None:
    ledger = Ledger(PRICE, FIVE_MINUTES)
    ledger.add(prompt(("a", 100), ("b", 50)), 0.0)
    ledger.add(prompt(("a", 100), ("b", 50), ("c", 10)), 200.0)
    ledger.add(prompt(("a", 100), ("x", 5), ("c", 10)), 400.0)
    found = ledger.account(NOTHING)
    assert (found.requests, found.read, found.written) == (3, 250, 175)
    assert found.sent == 425
    assert found.largest == 160
    assert found.cost == pytest.approx((250 * 0.1 + 175 * 1.25) / 1e6)


def test_a_cache_lives_from_its_last_use() -> None:
    for lifetime, read in ((FIVE_MINUTES, 100), (ONE_HOUR, 300)):
        ledger = Ledger(PRICE, lifetime)
        for time in (0.0, 299.0, 1_000.0, 4_599.0):
            ledger.add(prompt(("a", 100)), time)
        assert ledger.account(NOTHING).read == read


def test_a_cache_of_an_hour_is_written_at_its_own_price() -> None:
    assert PRICE.of(0, 1_000_000, ONE_HOUR) == 2.0
    assert PRICE.of(0, 1_000_000, FIVE_MINUTES) == 1.25
    assert PRICE.of(1_000_000, 0, ONE_HOUR) == 0.1


def test_sessions_are_added_up() -> None:
    first, second = Ledger(PRICE, FIVE_MINUTES), Ledger(PRICE, FIVE_MINUTES)
    first.add(prompt(("a", 100)), 0.0)
    second.add(prompt(("a", 300)), 0.0)
    found = together([first.account(NOTHING), second.account(NOTHING)])
    assert (found.requests, found.sent, found.largest) == (2, 400, 300)
    assert together([]).cost == 0


def histories(items: list[Item]) -> list[tuple[Item, ...]]:
    talk = conversation(*items).items
    return [talk[: index + 1] for index in range(0, len(talk), 2)]


def size(one: Prompt) -> int:
    return sum(part.tokens for part in one)


def test_no_window_sends_all_and_leaves_out_only_what_the_model_cannot_hold() -> None:
    policy = Whole(100, 3_000)
    sizes = list[int]()
    for history in histories(turns(20, words=100)):
        (found,) = policy.prompts(history)
        sizes.append(size(found))
        assert found[-1].name == history[-1].key
    assert max(sizes) <= 3_000
    assert sizes[5] == 100 + sum(item.tokens for item in histories(turns(20, words=100))[5])
    assert policy.resets > 3


def test_a_sliding_window_moves_at_each_turn_once_it_is_full() -> None:
    policy = Sliding(0, limits(Profile(), 200_000))
    starts = {policy.prompts(history)[0][1].name for history in histories(turns(40))}
    assert len(starts) == 21
    assert policy.resets == 20


def test_a_host_asks_for_a_summary_and_goes_on_from_it() -> None:
    most = COMPACTION_RESERVE + 2_000
    policy = Compacting(100, most)
    asked = 0
    for history in histories(turns(30, words=100)):
        found = policy.prompts(history)
        asked += len(found) == 2
        assert size(found[-1]) <= most
        if len(found) == 2:
            assert found[1][1].tokens == SUMMARY_TOKENS
    assert asked == policy.resets > 1
    assert policy.output == asked * SUMMARY_TOKENS


def test_the_epoch_window_only_grows_between_its_rotations() -> None:
    policy = Epoch(100, limits(Profile(), 200_000))
    items = turns(30)
    items += [user("go"), call("1"), result("1", "long " * 5_000)]
    before, broken = (), 0
    for history in [*histories(items), conversation(*items).items]:
        (found,) = policy.prompts(history)
        broken += found[: len(before)] != before
        before = found
    assert broken == policy.resets == 1
    assert before[-1].tokens < 1_000


def test_the_price_table_that_comes_along_is_whole_and_says_when_it_was_read() -> None:
    found = table(tomllib.loads((files("unabridged.window") / "prices.toml").read_text()))
    assert found.date
    assert found.sources
    for price in found.prices.values():
        assert 0 < price.cache_read < price.input <= price.cache_write <= price.cache_write_hour
        assert price.window >= 100_000
    assert found.price("anthropic/Claude-Opus-4-5-20251101").input == 5.0
    assert found.price("anthropic/some-model").input == 3.0
    assert found.price("openai/gpt-5.1-codex").cache_read == 0.125
    with pytest.raises(NotFound):
        found.price("nobody/model")


def test_a_wrong_price_table_is_refused() -> None:
    with pytest.raises(InvalidSetting):
        table({"date": "2026-01", "sources": [], "prices": {"*": {"input": "cheap"}}})
