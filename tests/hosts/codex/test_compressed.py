"""A compressed rollout is the rollout."""

from __future__ import annotations

from pathlib import Path

import pytest
import zstandard

from unabridged.hosts.codex import HOST
from unabridged.hosts.codex.compressed import decompressed
from unabridged.hosts.conformance import read_file

PLAIN = Path(__file__).parents[1] / "fixtures" / "codex" / "main.jsonl"


def test_a_compressed_rollout_gives_the_same_events_under_the_same_names(tmp_path: Path) -> None:
    packed = tmp_path / "main.jsonl.zst"
    packed.write_bytes(zstandard.compress(PLAIN.read_bytes()))
    assert read_file(HOST, packed) == read_file(HOST, PLAIN)


@pytest.mark.parametrize("size", [1, 7, 1000, 1 << 20])
def test_frames_are_read_in_pieces_of_any_size(size: int) -> None:
    data = PLAIN.read_bytes()
    writer = zstandard.ZstdCompressor().compressobj()
    streamed = writer.compress(data) + writer.flush()  # without a content size in its header
    packed = zstandard.compress(data) + streamed
    pieces = [packed[at : at + size] for at in range(0, len(packed), size)]
    assert b"".join(decompressed(pieces)) == data * 2


def test_a_file_cut_off_gives_what_is_there() -> None:
    writer = zstandard.ZstdCompressor().compressobj()
    packed = writer.compress(b"whole\n") + writer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    whole = packed + writer.compress(b"begun\n") + writer.flush()
    assert HOST.decode(packed) == b"whole\n"
    for size in range(len(packed), len(whole)):
        found = HOST.decode(whole[:size])
        assert found.startswith(b"whole\n")
        assert b"whole\nbegun\n".startswith(found)


def test_a_damaged_file_gives_what_stands_before_the_damage() -> None:
    first, second = zstandard.compress(b"whole\n"), b"\x28\xb5\x2f\xfd" + b"\xff" * 40
    assert HOST.decode(first + second) == b"whole\n"


def test_other_bytes_are_not_touched() -> None:
    assert HOST.decode(b'{"a":1}\n') == b'{"a":1}\n'
