"""A desk for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.service.desk import Desk


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.store.close()
