"""A verb that only asks starts fast because it loads little: what costs milliseconds to import stays out of its way."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from tests.cli.double import EVENTS, FOUND, PASSAGE, SESSION

# Each of these costs a start one to forty milliseconds.
HEAVY = {
    *(
        "argparse",
        "asyncio",
        "base64",
        "collections",
        "contextlib",
        "datetime",
        "dataclasses",
        "difflib",
        "enum",
        "functools",
        "hashlib",
        "importlib.metadata",
        "inspect",
        "json",
    ),
    *(
        "logging",
        "msgspec",
        "pathlib",
        "platformdirs",
        "random",
        "re",
        "rich",
        "shutil",
        "socket",
        "subprocess",
        "textwrap",
        "unicodedata",
    ),
    *("threading", "tomlkit", "tomllib", "typing", "unabridged.service"),
    *("unabridged.cli.help", "unabridged.cli.progress", "unabridged.daemon.starting"),
}

RUN = """
import sys
before = set(sys.modules)
import unabridged.daemon.client
from unabridged.app import main
from unabridged.cli import entry
ANSWER = {answer!r}
class Client:
    def call(self, op, params, on_progress=None, timeout=None):
        return ANSWER
entry.reach = lambda environ, start: Client()
assert entry.main({words!r}) == 0
print("\\n".join(sorted(set(sys.modules) - before)), file=sys.stderr)
"""


STATUS = {
    "ok": True,
    "version": "1",
    "store": {"sessions": 1, "events": 2},
    "daemon": {"pid": 7},
    "problems": [],
}

WINDOW = {
    "session": "5e55",
    "host": "pi",
    "model": "m",
    "epoch": 1,
    "users": 2,
    "tokens": 3,
    "rotation": 4,
    "fault": "",
    "forced": False,
    "notices": [["near-limit", "near limit"]],
    "updated": "",
    "totals": {"sent": 1, "whole": 2, "input": 1, "cache_read": 1, "cache_write": 0},
}

# Words and answer of each verb that only asks and draws.
QUICK: dict[str, tuple[list[str], dict[str, Any]]] = {
    "search": (["search", "flash"], FOUND),
    "grep": (["grep", "x"], FOUND),
    "recall": (["recall", "h"], PASSAGE),
    "show": (["show", "5e55"], {"session": SESSION, "events": EVENTS, "next": ""}),
    "sessions": (["sessions"], {"sessions": [SESSION], "next": ""}),
    "status": (["status"], STATUS),
    "stats": (["stats"], {"totals": {"events": 2, "bytes": 3}, "hosts": [{"host": "pi"}]}),
    "note": (["note", "x"], {"document": "d9", "version": 1}),
    "window status": (["window"], {"windows": [WINDOW]}),
    "window statusline": (["window", "statusline"], {"windows": [WINDOW]}),
}


@pytest.mark.parametrize("verb", QUICK)
def test_nothing_heavy_is_loaded(verb: str) -> None:
    words, answer = QUICK[verb]
    code = RUN.format(words=words, answer=answer)
    done = subprocess.run(
        [sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, check=True
    )
    loaded = set(done.stderr.decode().split())
    assert "unabridged.cli.entry" in loaded
    assert sorted(HEAVY & loaded) == []
