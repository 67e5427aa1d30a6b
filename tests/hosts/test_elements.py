"""A document is cut into its elements, whatever it holds and however it is read."""

from __future__ import annotations

import io
import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.hosts import elements
from unabridged.hosts.elements import Element, Torn

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


class Dripping(io.BytesIO):
    """A file that gives a few bytes at a time."""

    def __init__(self, data: bytes, most: int) -> None:
        super().__init__(data)
        self.most = most

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(self.most if size is None or size < 0 else min(size, self.most))


def cut(data: bytes, *inside: str, most: int = 1 << 20, limit: int = elements.TOO_LONG) -> list[Element]:
    return list(elements.elements(Dripping(data, most), inside, limit))


@given(st.lists(VALUES, max_size=5), st.sampled_from([None, 1]), st.integers(1, 9))
def test_an_array_gives_its_elements(items: list[Any], indent: int | None, most: int) -> None:
    found = cut(json.dumps(items, indent=indent).encode(), most=most)
    assert [json.loads(element.data) for element in found] == items
    assert [(element.name, element.place) for element in found] == [("", at) for at in range(len(items))]
    assert all(element.size == len(element.data) for element in found)


@given(st.dictionaries(st.text(), VALUES, max_size=4), st.lists(VALUES, max_size=4), st.integers(1, 9))
def test_an_object_gives_its_members_and_the_elements_of_a_chosen_one(
    members: dict[str, Any], items: list[Any], most: int
) -> None:
    members["messages"] = items
    found = cut(json.dumps(members, indent=2).encode(), "messages", most=most)
    inside = [json.loads(element.data) for element in found if element.name == "messages"]
    assert inside == items
    rest = {element.name: json.loads(element.data) for element in found if element.place == -1}
    assert rest == {name: value for name, value in members.items() if name != "messages"}


@given(st.dictionaries(st.text(), VALUES, max_size=3), st.lists(VALUES, max_size=4), st.integers(1, 9))
def test_a_reading_goes_on_behind_any_element(members: dict[str, Any], items: list[Any], most: int) -> None:
    for document in (items, {**members, "messages": items, "behind": [1, 2]}):
        data = json.dumps(document, indent=1).encode()
        whole = cut(data, "messages", most=most)
        for number, element in enumerate(whole, 1):
            rest = Dripping(data, most)
            rest.seek(element.end)
            assert list(elements.following(rest, element, ("messages",))) == whole[number:]


def test_the_text_of_an_element_is_the_exact_one() -> None:
    data = b' [ {"b" : 1.50, "a":"\\u00e9\\"]"} ,-0.0e1,"x" ] \n'
    assert [element.data for element in cut(data)] == [
        b'{"b" : 1.50, "a":"\\u00e9\\"]"}',
        b"-0.0e1",
        b'"x"',
    ]


def test_a_chosen_member_that_is_no_array_is_given_whole() -> None:
    assert cut(b'{"messages":{"a":[1]}}', "messages") == [Element("messages", -1, b'{"a":[1]}', 9, 12, 21)]


def test_a_byte_order_mark_and_nothing_at_all_are_no_elements() -> None:
    assert (
        cut(b"") == cut(b" \n") == cut(b"\xef\xbb\xbf[]") == cut(b"17") == cut(b'"text"') == cut(b"{}") == []
    )


@pytest.mark.parametrize(
    "torn",
    [
        b'[{"a":1},{"b":"',
        b'[{"a":1},{"b":[1,2',
        b'[{"a":1}',
        b'[{"a":1},',
        b'[{"a":1} {"b":1}]',
        b'[{"a":1}][1]',
        b'[{"a":1},]',
        b'[{"a":1},"half an escape \\',
    ],
)
def test_what_is_whole_in_front_of_a_tear_is_given(torn: bytes) -> None:
    reading = elements.elements(Dripping(torn, 3))
    assert next(reading).data == b'{"a":1}'
    with pytest.raises(Torn):
        list(reading)


def test_an_element_that_is_too_long_is_left_out_and_counted() -> None:
    data = b'[1,"' + b"x" * 500 + b'",{"a":[' + b"1," * 300 + b"1]},2]"
    found = cut(data, most=64, limit=100)
    assert [(element.data, element.size) for element in found] == [
        (b"1", 1),
        (b"", 502),
        (b"", 609),
        (b"2", 1),
    ]


def test_memory_does_not_grow_with_the_document() -> None:
    class Endless:
        """An array of a hundred megabytes that is made as it is read."""

        left = 100

        def read(self, size: int, /) -> bytes:
            self.left -= 1
            if self.left < 0:
                return b""
            opening = b"[" if self.left == 99 else b""
            closing = b"]" if not self.left else b","
            return opening + b'{"text":"' + b"x\\n" * (size // 3 - 8) + b'"}' + closing

    tracemalloc.start()
    count = sum(1 for _ in elements.elements(Endless()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 100
    assert peak < 8 << 20


@given(st.lists(VALUES, max_size=5), st.integers(1, 9))
def test_an_element_is_found_again_at_its_place(items: list[Any], most: int) -> None:
    data = json.dumps({"a": 1, "messages": items}, indent=1, ensure_ascii=False).encode()
    for element in cut(data, "messages", most=most):
        assert data[element.offset : element.offset + element.size] == element.data


def test_whole_values_are_passed_over_by_the_decoder(monkeypatch: pytest.MonkeyPatch) -> None:
    def scan(*_: Any) -> None:
        raise AssertionError("scanned in Python")

    monkeypatch.setattr(elements._Document, "_scan", scan)
    items = [{"text": '}] \\" , {', "deep": [[{}]]}, "x", [1], {"é": 2}] * 50
    for indent in (None, 2):
        assert len(cut(json.dumps(items, indent=indent).encode(), most=100)) == len(items)
