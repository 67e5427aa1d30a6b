"""What requests cost, and what they would have cost without a window."""

from __future__ import annotations

import pytest

from unabridged.errors import NotFound
from unabridged.window.prices import Price, Table
from unabridged.window.providers.usage import Usage
from unabridged.window.spending import Spent, added, dollars

PRICE = Price(input=4.0, cache_read=1.0, cache_write=5.0, cache_write_hour=8.0, output=20.0)
TABLE = Table("2026-11", (), {"anthropic/*": PRICE, "anthropic/claude-x*": Price(8.0, 1.0, 1.0, 1.0)})
MILLION = 1_000_000


def test_what_was_paid_is_each_kind_of_token_at_its_price() -> None:
    used = Usage(MILLION, 2 * MILLION, 3 * MILLION, MILLION)
    found = dollars(Spent(1, 6 * MILLION, 6 * MILLION, 2 * MILLION, used), PRICE)
    assert found is not None
    assert found.cost == pytest.approx(4 + 2 + 15 + 20)
    assert found.input == pytest.approx(4 + 2 + 15)


def test_what_was_left_out_would_have_been_read_from_the_cache_or_written_to_it() -> None:
    used = Usage(0, MILLION, 0)
    found = dollars(Spent(2, MILLION, 10 * MILLION, 8 * MILLION, used), PRICE)
    assert found is not None
    assert found.without == pytest.approx(8 * 1.0 + 2 * 5.0)
    assert found.saved == pytest.approx(18 - 1)


def test_where_nothing_is_cached_all_would_have_been_plain_input() -> None:
    found = dollars(Spent(1, MILLION, 3 * MILLION, 0, Usage(MILLION)), PRICE)
    assert found is not None
    assert (found.input, found.without) == (pytest.approx(4.0), pytest.approx(12.0))


def test_the_estimate_is_scaled_by_what_the_provider_counted() -> None:
    found = dollars(Spent(1, MILLION, 3 * MILLION, 0, Usage(2 * MILLION)), PRICE)
    assert found is not None
    assert found.without == pytest.approx(24.0)


def test_without_a_report_nothing_is_said() -> None:
    assert dollars(Spent(1, MILLION, 3 * MILLION), PRICE) is None


def test_sums_are_sums() -> None:
    one = Spent(1, 2, 3, 4, Usage(5, 6, 7, 8), 9, 10)
    assert added(one, one) == Spent(2, 4, 6, 8, Usage(10, 12, 14, 16), 18, 20)


def test_a_user_s_own_price_goes_before_the_table_field_by_field() -> None:
    own = Table(
        "2026-11",
        (),
        TABLE.prices,
        {"*/claude*": {"input": 1.0, "output": 2.0}, "*/claude-x-*": {"input": 3.0}},
    )
    assert own.price("anthropic/claude-x-1") == Price(3.0, 1.0, 1.0, 1.0, output=2.0)
    assert own.price("anthropic/claude-y") == Price(1.0, 1.0, 5.0, 8.0, output=2.0)
    assert own.price("anthropic/other") == PRICE


def test_a_model_that_only_the_user_knows_needs_no_more_than_the_price_of_input() -> None:
    own = Table("", (), {}, {"local/*": {"input": 1.5}, "other/*": {"output": 2.0}})
    assert own.price("local/m") == Price(1.5, 1.5, 1.5, 1.5)
    assert own.find("other/m") is None
    with pytest.raises(NotFound):
        own.price("none/m")
