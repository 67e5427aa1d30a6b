"""Every text that Python can hold survives the codec, and equal records have equal bytes."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.errors import Corrupt
from unabridged.schema import codec
from unabridged.schema.ids import GLOBAL, Micros, ProjectId
from unabridged.schema.records import META_KIND, PROJECT, SEGMENT, Meta, Project
from unabridged.store.conformance.samples import segment

ODD = st.sampled_from("\x00a0\ud800\ud83d\ude00\udfff\ue000\ue7ff\U0010ffff😀")
TEXTS = st.text(st.one_of(ODD, st.characters(codec=None)), max_size=8)


@given(TEXTS, st.lists(TEXTS, max_size=4), st.dictionaries(TEXTS, TEXTS, max_size=4))
def test_any_text_survives_wherever_it_stands(name: str, roots: list[str], policy: dict[str, str]) -> None:
    record = Project(GLOBAL, ProjectId(b"p" * 16), name, roots, Micros(1), [], policy)
    assert PROJECT.decode(PROJECT.encode(record)) == record


@given(st.binary(max_size=20))
def test_any_bytes_survive(value: bytes) -> None:
    for data in (value, value + codec.MARK_UTF8 + value):
        record = Meta(GLOBAL, "x", data)
        assert META_KIND.decode(META_KIND.encode(record)) == record
        large = segment(ProjectId(b"p" * 16), 0, data)
        assert SEGMENT.decode(SEGMENT.encode(large)) == large


@given(st.dictionaries(TEXTS, TEXTS, min_size=2, max_size=6))
def test_equal_records_have_equal_bytes_whatever_the_order_of_a_mapping(policy: dict[str, str]) -> None:
    backwards = dict(reversed(policy.items()))
    one = Project(GLOBAL, ProjectId(b"p" * 16), "n", [], Micros(1), [], policy)
    two = Project(GLOBAL, ProjectId(b"p" * 16), "n", [], Micros(1), [], backwards)
    assert PROJECT.encode(one) == PROJECT.encode(two)


def test_text_that_needs_no_escape_is_stored_as_it_is() -> None:
    assert "café 😀".encode() in META_KIND.encode(Meta(GLOBAL, "café 😀", b""))
    assert codec.MARK_UTF8 not in META_KIND.encode(Meta(GLOBAL, "café 😀", b""))


def test_a_value_of_another_kind_is_refused() -> None:
    with pytest.raises(Corrupt):
        META_KIND.decode(SEGMENT.encode(segment(ProjectId(b"p" * 16), 0, b"x")))


def test_a_value_with_fewer_fields_decodes_with_defaults() -> None:
    whole = Project(GLOBAL, ProjectId(b"p" * 16), "n", ["/a"], Micros(1))
    old = msgspec.to_builtins(whole, builtin_types=(bytes,))[:5]
    head = bytes((codec.FORMAT_VERSION, PROJECT.tag)) + msgspec.msgpack.encode(old)
    assert PROJECT.decode(head + codec.sha256(head).digest()[: codec.DIGEST_BYTES]) == whole
