"""Whose connection it is."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from unabridged.daemon.owners import owner


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells it")
def test_a_connection_of_ours_is_ours() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
    ):
        assert owner(client.getsockname(), server.getsockname()[1]) == os.geteuid()


def test_a_row_of_the_table_tells_the_user(tmp_path: Path) -> None:
    table = tmp_path / "tcp"
    mine, theirs = (address.to_bytes(4, "big").hex().upper() for address in (0x7F000001, 0x7F000002))
    if sys.byteorder == "little":
        mine, theirs = (bytes.fromhex(text)[::-1].hex().upper() for text in (mine, theirs))
    table.write_text(
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
        f"   0: {mine}:1267 {mine}:C001 01 00000000:00000000 00:00000000 00000000     0        0 1\n"
        f"   1: {mine}:C001 {mine}:1267 01 00000000:00000000 00:00000000 00000000  4242        0 2\n"
    )
    assert owner(("127.0.0.1", 0xC001), 0x1267, str(table)) == 4242
    assert owner(("127.0.0.1", 0xC002), 0x1267, str(table)) is None
    assert owner(("127.0.0.1", 0xC001), 0x1268, str(table)) is None
    assert theirs not in table.read_text()


def test_where_there_is_no_table_nothing_is_told(tmp_path: Path) -> None:
    assert owner(("127.0.0.1", 1), 2, str(tmp_path / "none")) is None
