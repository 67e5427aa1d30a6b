"""The commands that run the tests: what they print last, and how they end."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repository.source import ROOT

PASSES = "def test_it_holds():\n    assert True\n"
FAILS = "def test_it_breaks():\n    assert False\n"
CRASHES = "import os\n\n\ndef test_it_ends_the_process():\n    os._exit(3)\n"
SKIPS = "import pytest\n\n\n@pytest.mark.skip(reason='no server')\ndef test_it_waits():\n    assert True\n"
SLOW = "import pytest\n\n\n@pytest.mark.slow\ndef test_it_takes_long():\n    assert True\n"
BROKEN = "import nothing_of_that_name\n"
# Writes that it is there, and waits for another part.
MEETS = """import time
from pathlib import Path
def test_it_meets_{other}():
    Path("{own}.there").touch()
    deadline = time.monotonic() + 60
    while not Path("{other}.there").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(0.5)
    Path("{own}.over").touch()
"""
ALONE = """from pathlib import Path
def test_it_is_alone():
    assert {path.name for path in Path(".").glob("*.over")} == {"store.over", "window.over"}
"""
EMPTY = "VALUE = 1\n"


def run(
    folder: Path, parts: dict[str, str], *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run scripts/test over parts that each hold one test file with the given text."""
    (folder / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "test", folder / "scripts" / "test")
    (folder / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\nmarkers = ["slow"]\n', encoding="utf-8"
    )
    (folder / "tests").mkdir()
    for part, text in parts.items():
        (folder / "tests" / part).mkdir()
        (folder / "tests" / part / f"test_{part}.py").write_text(text, encoding="utf-8")
    command = [sys.executable, str(folder / "scripts" / "test"), *arguments]
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment |= variables
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize(
    ("parts", "arguments", "closing", "status"),
    [
        ({"a": PASSES, "b": PASSES}, (), "2 passed, 0 failed, 0 skipped", 0),
        ({"a": PASSES, "b": FAILS}, (), "1 passed, 1 failed, 0 skipped", 1),
        ({"a": PASSES, "b": SKIPS}, (), "1 passed, 0 failed, 1 skipped", 0),
        ({"a": CRASHES, "b": PASSES}, (), "1 passed, 1 failed, 0 skipped", 1),
        ({"a": BROKEN, "b": PASSES}, (), "1 passed, 1 failed, 0 skipped", 1),
        ({"a": EMPTY, "b": PASSES}, (), "1 passed, 1 failed, 0 skipped", 1),
        ({"a": SKIPS}, (), "0 passed, 0 failed, 1 skipped", 1),
        ({}, (), "0 passed, 0 failed, 0 skipped", 1),
        ({"a": FAILS, "b": PASSES}, ("b",), "1 passed, 0 failed, 0 skipped", 0),
        ({"a": SLOW, "b": PASSES}, ("--quick",), "1 passed, 0 failed, 0 skipped", 0),
        ({"a": PASSES}, ("elsewhere",), "0 passed, 1 failed, 0 skipped", 2),
    ],
)
def test_the_last_line_counts_every_part_and_the_status_agrees(
    tmp_path: Path, parts: dict[str, str], arguments: tuple[str, ...], closing: str, status: int
) -> None:
    answer = run(tmp_path, parts, *arguments)
    assert answer.stdout.splitlines()[-1] == closing, answer.stdout + answer.stderr
    assert answer.returncode == status


def test_a_part_that_fails_is_named(tmp_path: Path) -> None:
    answer = run(tmp_path, {"good": PASSES, "crashed": CRASHES, "bad": FAILS})
    assert re.findall(r"^FAILED (tests/\S+)", answer.stdout.split("summary")[-1], flags=re.MULTILINE) == [
        "tests/bad/test_bad.py::test_it_breaks",
        "tests/crashed:",
    ]


def test_parts_run_at_once_but_what_real_agents_are_in_runs_alone_after_them(tmp_path: Path) -> None:
    parts = {
        "end_to_end": ALONE,
        "store": MEETS.format(own="store", other="window"),
        "window": MEETS.format(own="window", other="store"),
    }
    answer = run(tmp_path, parts, PYTEST_ARGS="-p xdist.plugin")
    assert answer.stdout.splitlines()[-1] == "3 passed, 0 failed, 0 skipped", answer.stdout + answer.stderr


def test_a_part_of_several_workers_names_what_fails_and_what_crashes(tmp_path: Path) -> None:
    answer = run(tmp_path, {"store": FAILS + CRASHES + PASSES}, PYTEST_ARGS="-p xdist.plugin")
    named = re.findall(r"^FAILED (\S+)", answer.stdout.split("tests: summary")[-1], flags=re.MULTILINE)
    assert sorted(named) == [
        "tests/store/test_store.py::test_it_breaks",
        "tests/store/test_store.py::test_it_ends_the_process",
    ]
    assert answer.stdout.splitlines()[-1] == "1 passed, 2 failed, 0 skipped"


@pytest.mark.parametrize("script", ["lock", "venv", "check", "../.ci/run"])
def test_every_shell_script_parses_and_can_be_run(script: str) -> None:
    path = ROOT / "scripts" / script
    assert subprocess.run(["bash", "-n", str(path)], check=False).returncode == 0
    assert path.stat().st_mode & 0o111


def test_every_command_of_the_makefile_says_what_it_does() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    declared = set(re.search(r"^\.PHONY: (.*)$", text, flags=re.MULTILINE)[1].split())  # type: ignore[index]
    explained = set(re.findall(r"^(\w+):.*## .+$", text, flags=re.MULTILINE))
    assert declared == explained
    assert {"try", "test", "check", "bench", "lock", "docs", "clean"} <= explained
