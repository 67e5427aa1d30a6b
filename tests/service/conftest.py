"""A desk for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.desk import Desk
from tests.support.hinting import Hinting

PLAN = (
    "Should the flash driver use polling or interrupts?",
    "We chose polling for the flash driver because the erase interrupt is lost in deep sleep.",
)


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.store.close()


@pytest.fixture
def hinting(tmp_path: Path) -> Iterator[Hinting]:
    desk = Desk()
    made = Hinting(tmp_path, desk.services)
    made.talk("plan", *PLAN)
    made.talk("other", "What shall we plant in the garden?", "Beans, since they need little water.")
    made.index()
    yield made
    made.store.close()
    desk.store.close()
