"""What the engine is told of the layout: its fields, how they are cut, the document of the note."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from tantivy import Document, Filter, Index, Schema, SchemaBuilder, TextAnalyzerBuilder, Tokenizer

from unabridged.index.analysis.fields import GAP
from unabridged.index.analysis.letters import LONG_TERM
from unabridged.index.layout import NAMES, NOTE, PATHS, TAGS, WORDS

LONG_TAG = 1_024  # bytes
_ANALYZER = "spaced"
_TAG_ANALYZER = "spaced-tags"


def schema() -> Schema:
    """Return the fields of the index."""
    builder = SchemaBuilder()
    builder.add_text_field(WORDS, tokenizer_name=_ANALYZER, index_option="position")
    builder.add_text_field(NAMES, tokenizer_name=_ANALYZER, index_option="basic")
    builder.add_text_field(TAGS, tokenizer_name=_TAG_ANALYZER, index_option="basic")
    builder.add_text_field(PATHS, tokenizer_name=_TAG_ANALYZER, index_option="basic")
    builder.add_unsigned_field("key", indexed=True, fast=True)
    builder.add_unsigned_field("place", fast=True)
    builder.add_unsigned_field("project", fast=True)
    builder.add_unsigned_field("weight", fast=True)
    builder.add_integer_field("time", fast=True)
    builder.add_bytes_field("note", stored=True)
    return builder.build()


def register(index: Index) -> None:
    """Tell an opened index what its fields are cut by: spaces only, analysis has done the rest."""
    for name, longest in ((_ANALYZER, LONG_TERM), (_TAG_ANALYZER, LONG_TAG)):
        spaced = TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.remove_long(longest))
        # A gap takes a position and no posting.
        index.register_tokenizer(name, spaced.filter(Filter.custom_stopword([GAP.strip()])).build())


def note_document(note: dict[str, Any]) -> Document:
    """Return the document of the note."""
    made = Document()
    made.add_text(WORDS, NOTE)
    made.add_text(NAMES, NOTE)
    made.add_text(TAGS, NOTE)
    made.add_bytes("note", json.dumps(note, sort_keys=True).encode())
    return made


def read_note(found: Document) -> dict[str, Any]:
    """Return what the note's document says; raise `ValueError` when it is damaged."""
    stored = cast("Sequence[bytes]", found.get_all("note"))
    said: Any = json.loads(bytes(stored[0]).decode()) if stored else None
    if not isinstance(said, dict):
        raise ValueError("the index has a damaged note")
    return cast("dict[str, Any]", said)
