"""Stored bytes keep their meaning: every form that was ever written is still read, and the newest still written."""

from __future__ import annotations

from typing import Any

import pytest

from tests.schema.golden import load, plain
from unabridged.errors import Corrupt, StoreTooNew
from unabridged.schema import codec
from unabridged.schema.kinds import Kind
from unabridged.schema.records import BY_TAG, KINDS

GOLDEN = load()


def kind_named(name: str) -> Kind[Any]:
    return next(kind for kind in KINDS if kind.name == name)


@pytest.mark.parametrize("name", GOLDEN)
def test_every_golden_value_decodes_to_the_fields_it_was_made_from(name: str) -> None:
    for form in GOLDEN[name]:
        found = plain(kind_named(name).decode(bytes.fromhex(form["value"])))
        assert {field: found[field] for field in form["fields"]} == form["fields"]
        # Fields that came later have their defaults, and stand behind.
        assert list(found)[: len(form["fields"])] == list(form["fields"])


@pytest.mark.parametrize("name", GOLDEN)
def test_the_newest_golden_value_is_what_the_codec_writes_now(name: str) -> None:
    kind, form = kind_named(name), GOLDEN[name][-1]
    record = kind.decode(bytes.fromhex(form["value"]))
    assert kind.encode(record).hex() == form["value"]
    assert kind.encode_key(kind.key_of(record)).hex() == form["key"]
    assert {index.name: key.hex() for index, key in kind.index_keys(record)} == form["entries"]


def test_every_kind_has_a_golden_value_with_all_its_fields() -> None:
    missing = [
        kind.name
        for kind in KINDS
        if not GOLDEN.get(kind.name)
        or list(GOLDEN[kind.name][-1]["fields"]) != list(kind.record.__struct_fields__)
    ]
    assert not missing, f"run `python -m tests.schema.golden` to add: {missing}"


def test_no_kind_was_removed_or_renumbered() -> None:
    for name, forms in GOLDEN.items():
        assert BY_TAG[bytes.fromhex(forms[-1]["value"])[1]].name == name


@pytest.mark.parametrize("name", GOLDEN)
def test_every_single_changed_byte_is_noticed(name: str) -> None:
    kind, data = kind_named(name), bytes.fromhex(GOLDEN[name][-1]["value"])
    for at in range(len(data)):
        damaged = data[:at] + bytes((data[at] ^ 1 << at % 8,)) + data[at + 1 :]
        with pytest.raises((Corrupt, StoreTooNew)):
            kind.decode(damaged)
    for end in range(len(data)):
        with pytest.raises(Corrupt):
            kind.decode(data[:end])


def test_a_newer_format_version_is_refused_before_anything_else() -> None:
    data = bytes.fromhex(GOLDEN["meta"][-1]["value"])
    with pytest.raises(StoreTooNew) as raised:
        kind_named("meta").decode(bytes((codec.FORMAT_VERSION + 1,)) + data[1:])
    assert raised.value.details == {"found": codec.FORMAT_VERSION + 1, "known": codec.FORMAT_VERSION}
