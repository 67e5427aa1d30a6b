"""Which module may import which."""

from __future__ import annotations

import configparser
import shutil
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

from tests.repository.source import PACKAGE, ROOT, modules, package_folders, unexplained

# Heavy packages that only their own module needs, or that an extra brings: they may be imported where they are used.
OPTIONAL = {
    "anthropic",
    "httpx",
    "mcp",
    "numpy",
    "onnxruntime",
    "openai",
    "psycopg",
    "psycopg_pool",
    "rich",
    "starlette",
    "tokenizers",
    "usearch",
    "uvicorn",
    "uvloop",
}

# Layers whose modules import what a verb needs when the verb runs: a short start is a feature.
LAZY_LAYERS = {"app", "cli"}

# path -> why it imports inside a function although neither holds.
LOCAL_IMPORTS: dict[str, str] = {
    "__init__.py": "every start of a command imports the package; only a program that asks for `Archive` pays for it",
    "api/archive.py": "only who opens an archive in its own process pays for the store and the index",
    "bench/semantic.py": "making tables of vectors imports numpy, which is of an extra",
    "daemon/client.py": "only who has to start a daemon pays for what starting one imports",
    "daemon/paths.py": "every client start imports it; only rare platforms and long paths need more than `os`",
    "hookclient.py": "a host runs it at each event: few of them need more than what the interpreter has built in",
    "gateway/composing.py": "what offers tools brings every operation along; only who has it offered pays",
    "gateway/shims/command.py": "a prompt waits for what it is told, which needs nothing of what makes windows",
    "mcp/command.py": "a pipe, which every agent starts, should not pay for the SDK",
    "store/open.py": "the engine for PostgreSQL needs a driver that is an extra",
}


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = grimp.build_graph("unabridged", exclude_type_checking_imports=True, cache_dir=None)
    assert circles({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}) == []


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected components of more than one node (Tarjan 1972), each sorted."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            component = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def test_a_circle_of_imports_would_be_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_imports_stand_at_the_top_unless_they_are_heavy_and_optional() -> None:
    found: dict[str, object] = {}
    for module in modules():
        if module.layer in LAZY_LAYERS:
            continue
        late = [
            f"{name} (line {line})"
            for line, name in module.local_imports()
            if name.split(".")[0] not in OPTIONAL
        ]
        if late:
            found[module.path] = ", ".join(late)
    assert unexplained(found, LOCAL_IMPORTS) == []


def contracts() -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read_string((ROOT / ".importlinter").read_text(encoding="utf-8"))
    return parser


def test_every_host_package_is_under_the_rule_that_keeps_hosts_apart() -> None:
    packages = {folder.split("/")[1] for folder in package_folders() if folder.startswith("hosts/")}
    assert packages <= names(contracts()["importlinter:contract:hosts"]["layers"])


def names(text: str) -> set[str]:
    return {part.strip(" ()") for line in text.splitlines() for part in line.split("|")} - {""}


@pytest.mark.parametrize(
    ("path", "line", "broken"),
    [
        ("schema/offender.py", "import unabridged.store.contract", "Imports go down the layers"),
        ("store/offender.py", "import unabridged.hosts.contract", "Imports go down the layers"),
        ("store/offender.py", "import rocksdict", "The RocksDB driver"),
        ("archive/offender.py", "import sqlite3", "SQLite drivers"),
        ("archive/offender.py", "import apsw", "SQLite drivers"),
        ("service/offender.py", "import psycopg", "The PostgreSQL driver"),
        ("service/offender.py", "import mcp", "The MCP SDK"),
        ("daemon/offender.py", "import unabridged.api.archive", "Imports go down the layers"),
    ],
)
def test_the_import_rules_catch_an_offender(tmp_path: Path, path: str, line: str, broken: str) -> None:
    shutil.copytree(PACKAGE, tmp_path / "src" / "unabridged", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / ".importlinter", tmp_path)
    offender = tmp_path / "src" / "unabridged" / path
    offender.write_text(f'"""A module that breaks a rule."""\n\n{line}\n', encoding="utf-8")
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as run; run()",
        "--no-cache",
    ]
    environment = {
        "PYTHONPATH": str(tmp_path / "src"),
        "PATH": "/usr/bin:/bin",
        "COLUMNS": "200",
        "LC_ALL": "C.UTF-8",
    }
    answer = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 1, answer.stdout + answer.stderr
    report = " ".join(answer.stdout.split())
    assert f"{broken}" in report
    assert any(broken in row and "BROKEN" in row for row in answer.stdout.splitlines()), answer.stdout
