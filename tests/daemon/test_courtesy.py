"""Steps of an import wait for requests, and not for ever."""

from __future__ import annotations

import threading

import pytest

from unabridged.daemon import courtesy
from unabridged.daemon.courtesy import Courtesy


def test_a_step_goes_on_at_once_when_nobody_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(courtesy, "MOST_SECONDS", 3_600.0)
    shared = Courtesy()
    with shared.waited_for():
        pass
    shared.give_way()


def test_a_step_waits_for_the_last_of_those_that_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(courtesy, "MOST_SECONDS", 3_600.0)
    shared, order = Courtesy(), list[str]()

    def step() -> None:
        shared.give_way()
        order.append("step")

    thread = threading.Thread(target=step)
    with shared.waited_for():
        with shared.waited_for():
            thread.start()
        order.append("one left")
        thread.join(0.05)
        order.append("answered")
    thread.join()
    assert order == ["one left", "answered", "step"]


def test_a_step_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(courtesy, "MOST_SECONDS", 0.01)
    shared = Courtesy()
    with shared.waited_for():
        shared.give_way()
