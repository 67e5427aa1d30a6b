"""What has just failed is not tried again at once."""

from __future__ import annotations

from unabridged.daemon.breaker import Breaker


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_pauses_double_up_to_the_longest_and_begin_anew_behind_a_success() -> None:
    clock = Clock()
    breaker, pauses = Breaker(clock, first=1.0, most=6.0), list[float]()
    assert not breaker.open
    for _ in range(5):
        breaker.failed()
        assert breaker.open
        pauses.append(breaker.seconds)
        clock.now += breaker.seconds
        assert not breaker.open
    assert pauses == [1.0, 2.0, 4.0, 6.0, 6.0]
    breaker.succeeded()
    breaker.failed()
    assert breaker.seconds == 1.0


def test_one_that_closed_stays_closed() -> None:
    clock = Clock()
    breaker = Breaker(clock)
    breaker.failed()
    breaker.succeeded()
    assert (breaker.open, breaker.seconds) == (False, 0.0)
