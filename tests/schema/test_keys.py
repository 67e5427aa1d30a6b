"""Encoded keys order as their tuples do, come back whole, and are refused when they cannot."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.errors import InvalidInput, LimitExceeded
from unabridged.schema import keys
from unabridged.schema.keys import FIXED12, FIXED16, FIXED20, FIXED32, MAX_INTEGER, MAX_KEY_BYTES, TEXT, UINT
from unabridged.schema.kinds import Index, Kind
from unabridged.schema.records import KINDS, META_KIND, Meta
from unabridged.store.conformance.samples import of_kind

# Surrogates, NUL, the bytes of the escape, and their neighbours are drawn far more often than chance would.
ODD = st.sampled_from("\x00\x01\xffa/\ud7ff\ud800\udfff\ue000😀\U0010ffff")
TEXTS = st.text(st.one_of(ODD, st.characters(codec=None)), max_size=12)
INTEGERS = st.one_of(st.integers(0, MAX_INTEGER), st.sampled_from([0, 1, 255, 256, 2**32, MAX_INTEGER]))
TYPES = {UINT: INTEGERS, TEXT: TEXTS} | {
    kind: st.binary(min_size=kind.size, max_size=kind.size) for kind in (FIXED12, FIXED16, FIXED20, FIXED32)
}


@st.composite
def two_keys(draw: st.DrawFn) -> tuple[list[keys.PartType], list[keys.KeyPart], list[keys.KeyPart]]:
    types = draw(st.lists(st.sampled_from(list(TYPES)), min_size=1, max_size=4))
    first = [draw(TYPES[kind]) for kind in types]
    second = [draw(st.one_of(st.just(part), TYPES[kind])) for kind, part in zip(types, first, strict=True)]
    return types, first, second


@given(two_keys())
def test_encoded_keys_compare_as_their_tuples(
    drawn: tuple[list[keys.PartType], list[keys.KeyPart], list[keys.KeyPart]],
) -> None:
    types, first, second = drawn
    one, two = keys.encode(1, 0, types, first), keys.encode(1, 0, types, second)
    assert (one < two) == (first < second)  # Python compares text by code points, as UTF-8 does
    assert (one == two) == (first == second)


@given(two_keys())
def test_a_key_decodes_to_its_parts(
    drawn: tuple[list[keys.PartType], list[keys.KeyPart], list[keys.KeyPart]],
) -> None:
    types, first, _ = drawn
    assert list(keys.decode(types, keys.encode(7, 3, types, first))) == first


@given(two_keys(), st.integers(0, 4))
def test_a_prefix_covers_exactly_the_keys_that_begin_with_it(
    drawn: tuple[list[keys.PartType], list[keys.KeyPart], list[keys.KeyPart]], size: int
) -> None:
    types, first, second = drawn
    prefix = keys.encode(1, 0, types, first[:size])
    inside = prefix <= keys.encode(1, 0, types, second) < keys.after_prefix(prefix)
    assert inside == (first[:size] == second[:size])


BYTES = st.lists(st.sampled_from([0, 1, 254, 255]), max_size=5).map(bytes)


@given(BYTES.filter(lambda data: data.strip(b"\xff")), BYTES, st.booleans())
def test_what_comes_after_a_prefix_bounds_exactly_what_begins_with_it(
    prefix: bytes, other: bytes, inside: bool
) -> None:
    key = prefix + other if inside else other
    assert (prefix <= key < keys.after_prefix(prefix)) == key.startswith(prefix)


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        (UINT, -1),
        (UINT, MAX_INTEGER + 1),
        (UINT, "1"),
        (UINT, b"1"),
        (FIXED16, b"x" * 15),
        (FIXED16, b"x" * 17),
        (FIXED16, "x" * 16),
        (TEXT, b"text"),
        (TEXT, 1),
    ],
)
def test_a_part_of_the_wrong_type_or_size_is_refused(kind: keys.PartType, part: keys.KeyPart) -> None:
    with pytest.raises(InvalidInput):
        keys.encode(1, 0, [kind], [part])


def test_more_parts_than_a_key_has_are_refused() -> None:
    with pytest.raises(InvalidInput):
        keys.encode(1, 0, [UINT], [1, 2])


def test_a_key_may_be_as_long_as_the_limit_and_no_longer() -> None:
    fits = "x" * (MAX_KEY_BYTES - 5)
    assert len(keys.encode(1, 0, [TEXT], [fits])) == MAX_KEY_BYTES
    with pytest.raises(LimitExceeded) as raised:
        keys.encode(1, 0, [TEXT], [fits + "x"])
    assert raised.value.details == {"limit": MAX_KEY_BYTES, "size": MAX_KEY_BYTES + 1}
    with pytest.raises(LimitExceeded):  # a NUL takes two bytes
        keys.encode(1, 0, [TEXT], ["\x00" * (MAX_KEY_BYTES // 2)])


def test_tags_and_index_numbers_stand_before_the_parts() -> None:
    assert keys.encode(9, 2, [UINT], [258]) == bytes((keys.KEY_VERSION, 9, 2)) + (258).to_bytes(8, "big")


def test_every_kind_begins_its_key_and_its_indexes_with_the_project() -> None:
    for kind in KINDS:
        assert kind.key[0] == ("project", FIXED16)
        for index in kind.indexes:
            assert index.fields[0] == ("project", FIXED16)


def test_tags_names_and_index_numbers_are_unique_and_in_range() -> None:
    assert len({kind.tag for kind in KINDS}) == len({kind.name for kind in KINDS}) == len(KINDS)
    for kind in KINDS:
        assert 1 <= kind.tag <= 127
        numbers = [index.number for index in kind.indexes]
        assert len(set(numbers)) == len(numbers)
        assert all(1 <= number <= 15 for number in numbers)


def test_key_and_index_fields_are_fields_of_the_record() -> None:
    for kind in KINDS:
        fields = set(kind.record.__struct_fields__)
        assert {name for name, _ in kind.key} <= fields
        for index in kind.indexes:
            assert {name for name, _ in index.fields} <= fields


def test_a_kind_decodes_the_keys_that_it_encodes() -> None:
    for kind in KINDS:
        record = of_kind(kind, b"p" * 16, 5)  # type: ignore[arg-type]
        assert kind.decode_key(kind.encode_key(kind.key_of(record))) == kind.key_of(record)


def test_an_index_entry_of_a_record_ends_with_its_key_unless_it_is_unique() -> None:
    plain = Index(1, "value", (("project", FIXED16), ("name", TEXT)))
    unique = Index(2, "name", (("project", FIXED16), ("name", TEXT)), unique=True)
    kind = Kind(99, "test", Meta, (("project", FIXED16), ("name", TEXT)), (plain, unique))
    record = Meta(b"p" * 16, "n", b"")  # type: ignore[arg-type]
    entries = {index.name: key for index, key in kind.index_keys(record)}
    key = kind.encode_key(kind.key_of(record))
    assert entries["value"].endswith(key[3:])
    assert entries["value"][3:] == key[3:] * 2
    assert entries["name"][3:] == key[3:]


def test_a_sparse_index_leaves_out_a_record_whose_field_is_empty() -> None:
    sparse = Index(1, "name", (("project", FIXED16), ("name", TEXT)), sparse=True)
    kind = Kind(98, "test", Meta, META_KIND.key, (sparse,))
    assert kind.index_keys(Meta(b"p" * 16, "", b"")) == []  # type: ignore[arg-type]
    assert len(kind.index_keys(Meta(b"p" * 16, "x", b""))) == 1  # type: ignore[arg-type]
