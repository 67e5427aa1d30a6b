"""Keys from their parts."""

from __future__ import annotations

from typing import Any

import pytest

from unabridged.errors import InvalidInput
from unabridged.schema import keys
from unabridged.schema.records import EVENT, KINDS
from unabridged.store.layout import Layouts


@pytest.mark.parametrize(
    "parts",
    [(b"p" * 15, 1), (b"p" * 17, 1), (b"p" * 16, -1), (b"p" * 16, 2**63), ("p" * 16, 1), (b"p" * 16, b"1")],
)
def test_a_key_of_wrong_parts_is_refused(parts: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidInput):
        Layouts().of(EVENT).key(parts)


def test_a_key_from_its_parts_is_the_key_of_its_record() -> None:
    for kind in KINDS:
        layout = Layouts().of(kind)
        parts = tuple(
            {"uint": 2**40 + 7, "text": "naïve\0"}.get(part.kind, bytes(range(part.size)))
            for part in layout.key_types
        )
        assert layout.key(parts) == keys.encode(kind.tag, 0, layout.key_types, parts)
