"""Adds to golden.json a record of each kind whose present form has none: `python -m tests.schema.golden`.

What is in the file stays: it is what released versions wrote, which every later one must read.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from unabridged.schema.ids import project_id
from unabridged.schema.kinds import Kind
from unabridged.schema.records import KINDS
from unabridged.store.conformance.samples import of_kind

FILE = Path(__file__).with_name("golden.json")


def plain(record: Any) -> dict[str, Any]:
    """Return a record's fields as JSON values, bytes in hexadecimal."""
    return {name: _plain(getattr(record, name)) for name in record.__struct_fields__}


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, msgspec.Struct):
        return plain(value)
    return value


def made(kind: Kind[Any]) -> dict[str, Any]:
    """Return the golden form of a kind's sample."""
    record = of_kind(kind, project_id("/golden"), 3)
    return {
        "fields": plain(record),
        "key": kind.encode_key(kind.key_of(record)).hex(),
        "entries": {index.name: key.hex() for index, key in kind.index_keys(record)},
        "value": kind.encode(record).hex(),
    }


def load() -> dict[str, list[dict[str, Any]]]:
    """Return the golden forms of every kind, the oldest first."""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def main() -> None:
    """Add what is missing."""
    golden = load()
    for kind in KINDS:
        forms = golden.setdefault(kind.name, [])
        if not forms or list(forms[-1]["fields"]) != list(kind.record.__struct_fields__):
            forms.append(made(kind))
    FILE.write_text(json.dumps(golden, indent=1, ensure_ascii=True) + "\n")


if __name__ == "__main__":
    main()
