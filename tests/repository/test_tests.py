"""The tests themselves: where they lie, what they are called."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.repository.source import PACKAGE, ROOT, Function

TESTS = ROOT / "tests"

# Folders of tests/ that mirror no folder of the package: suites of their own, and what tests share.
SUITES = {"clients", "data", "docs", "end_to_end", "fault", "golden", "hazards", "repository", "support"}

# Calls that fail a test, beside `assert`.
CHECKING_CALLS = {"raises", "fail", "run_state_machine_as_test"}
CHECKING_PREFIXES = ("assert", "check", "eventually", "expect", "until", "verify", "wait")

# Words after `test_` that a name has at least, to be a sentence.
WORDS_LEAST = 3


def files() -> list[Path]:
    return sorted(TESTS.rglob("test_*.py"))


def test_tests_lie_where_the_code_lies() -> None:
    folders = {path.name for path in TESTS.iterdir() if path.is_dir() and path.name != "__pycache__"}
    code = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    assert sorted(folders - code - SUITES) == []


def test_every_test_is_called_by_a_sentence() -> None:
    short: list[str] = []
    for path in files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, Function) and node.name.startswith("test_")):
                continue
            if len(node.name.split("_")) - 1 < WORDS_LEAST:
                short.append(f"{path.relative_to(TESTS)}:{node.name}")
    assert short == []


def test_no_test_is_defined_twice_in_one_place() -> None:
    hidden: list[str] = []
    for path in files():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for scope in [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]:
            seen: set[str] = set()
            for node in scope.body:
                if isinstance(node, Function) and node.name.startswith("test_"):
                    if node.name in seen:
                        hidden.append(f"{path.relative_to(TESTS)}:{node.name}")
                    seen.add(node.name)
    assert hidden == []


def test_every_test_can_fail() -> None:
    """A test asserts, or expects a raise, or calls something of its own that does."""
    idle: list[str] = []
    for path in files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, Function) and node.name.startswith("test_") and not checks(node):
                idle.append(f"{path.relative_to(TESTS)}:{node.name}")
    assert idle == []


def checks(node: Function) -> bool:
    """Whether a function holds an assertion, a `pytest.raises`, or a call of a function named for checking."""
    for part in ast.walk(node):
        if isinstance(part, ast.Assert):
            return True
        if isinstance(part, ast.Call):
            name = ast.unparse(part.func).rsplit(".", 1)[-1]
            if name in CHECKING_CALLS or name.startswith(CHECKING_PREFIXES):
                return True
    return False
