"""What the package gives to a program, what importing it costs, what a type checker sees."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import unabridged

SOURCE = Path(unabridged.__file__).parents[1]

# What a program that speaks to a daemon has no use for.
NOT_BY_A_CLIENT = {"rocksdict", "apsw", "tantivy", "re2", "mcp", "asyncio", "unabridged.service.operations"}

PROGRAM = """
from pathlib import Path
from unabridged import Archive, wrap
from unabridged.errors import DaemonUnavailable, UnabridgedError
from unabridged.service.requests import Hit, SearchAnswer


def best(archive: Archive, words: str) -> Hit | None:
    answer: SearchAnswer = archive.search(words, roles=["user"], since="7d", limit=3, timeout=5)
    return answer.hits[0] if answer.hits else None


def show(facts: object) -> None:
    print(facts)


with Archive(timeout=None) as archive, Archive.open(Path("x"), in_process=True) as other:
    reveal_type(archive.import_([Path("."), "x"], on_progress=show).lines["read"])
    for hit in archive.search_all("x", tools=("Bash",)):
        reveal_type(hit.snippet)
    reveal_type(archive.search_all("x").page.status)
    reveal_type([row.title for row in other.sessions_all(project=Path("."))])
    reveal_type(archive.restore("x", Path("y")).identical)
    reveal_type(archive)
    with archive.window("talk", model="anthropic/claude-opus-5-5", settings={"retain_turns": 3}) as window:
        reveal_type(window.apply([{"role": "user", "content": "hello"}]))
        reveal_type(window.apply(b"{}", format="chat"))
        reveal_type([notice.text for notice in window.notices])
    reveal_type(wrap(Path("a client"), session="talk"))
    try:
        archive.note("text")
    except (DaemonUnavailable, UnabridgedError) as error:
        reveal_type(error.code)
"""
REVEALED = ["int", "str", "str", "list[str]", "bool", "Archive"]
REVEALED += ["list[dict[str, str]]", "bytes", "list[str]", "Path", "str"]

WRONG = """
from unabridged import Archive
Archive(5)
Archive().search()
Archive().search("x", 5)
Archive().search("x", rolls=["user"])
Archive().search("x", roles=[1])
Archive().import_(5)
Archive().search("x").hit
Archive().shutdown()
Archive().window(5)
Archive().window().apply(5)
Archive().window("x", setting={})
"""


def modules_after(statement: str) -> set[str]:
    path = f"import sys; sys.path.insert(0, {str(SOURCE)!r}); before = set(sys.modules)"
    code = f"{path}; {statement}; print(*(set(sys.modules) - before))"
    answer = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    return set(answer.stdout.split())


def test_importing_the_package_costs_nothing() -> None:
    assert modules_after("import unabridged") == {"unabridged"}


def test_a_program_that_asks_a_daemon_brings_neither_store_nor_index() -> None:
    loaded = modules_after("from unabridged import Archive")
    assert "msgspec" in loaded
    assert loaded & NOT_BY_A_CLIENT == set()


def test_the_package_has_what_it_says_and_nothing_else() -> None:
    assert unabridged.Archive.__name__ == "Archive"
    assert set(unabridged.__all__) == {"Archive", "Window", "wrap", "__version__"}
    assert (unabridged.Window.__name__, unabridged.wrap.__name__) == ("Window", "wrap")
    with pytest.raises(AttributeError, match="Archives"):
        unabridged.Archives  # pyright: ignore[reportAttributeAccessIssue]  # noqa: B018
    with pytest.raises(ImportError):
        from unabridged import nothing_like_it  # pyright: ignore[reportAttributeAccessIssue] # noqa: F401


def checked(folder: Path, program: str) -> list[dict[str, Any]]:
    """Return what pyright, strict, says of a program that uses the package as installed."""
    (folder / "program.py").write_text(program, encoding="utf-8")
    settings = {"strict": ["."], "extraPaths": [str(SOURCE)], "pythonVersion": "3.11"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pyright",
        "--outputjson",
        "--pythonpath",
        sys.executable,
        "-p",
        str(folder),
    ]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(answer.stdout)["generalDiagnostics"]


@pytest.mark.slow
def test_a_program_is_type_checked_against_the_package(tmp_path: Path) -> None:
    said = checked(tmp_path, PROGRAM)
    assert [item["message"] for item in said if item["severity"] == "error"] == []
    revealed = [item["message"].split('"')[-2] for item in said if item["severity"] == "information"]
    assert revealed == REVEALED


@pytest.mark.slow
def test_a_type_checker_finds_every_wrong_call(tmp_path: Path) -> None:
    said = checked(tmp_path, WRONG)
    wrong = {item["range"]["start"]["line"] for item in said if item["severity"] == "error"}
    assert wrong == set(range(2, len(WRONG.splitlines())))
