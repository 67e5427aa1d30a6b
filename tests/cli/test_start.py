"""A search starts fast because it loads little: what costs milliseconds to import stays out of its way."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Each of these costs a start one to forty milliseconds.
HEAVY = {
    *(
        "argparse",
        "asyncio",
        "contextlib",
        "dataclasses",
        "difflib",
        "enum",
        "importlib.metadata",
        "inspect",
        "json",
    ),
    *(
        "logging",
        "msgspec",
        "pathlib",
        "platformdirs",
        "re",
        "rich",
        "shutil",
        "socket",
        "subprocess",
        "textwrap",
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


@pytest.mark.parametrize(
    "words", [["search", "flash"], ["recall", "h"], ["grep", "x"]], ids=lambda words: words[0]
)
def test_nothing_heavy_is_loaded(words: list[str]) -> None:
    from tests.cli.double import FOUND, PASSAGE

    code = RUN.format(words=words, answer=PASSAGE if words[0] == "recall" else FOUND)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    loaded = set(done.stderr.decode().split())
    assert "unabridged.cli.entry" in loaded
    assert sorted(HEAVY & loaded) == []
