"""The sizes that the source keeps to: each limit is stated once here, with its exceptions by name."""

from __future__ import annotations

import ast

import pytest

from tests.repository.source import Function, imported, modules, percentile, unexplained

# Lines of a file: comments and blanks count.
FILE_MEDIAN, FILE_P90, FILE_MOST = 200, 450, 700

# Lines of a function, from `def` to its last line, docstring included.
FUNCTION_P90, FUNCTION_MOST = 35, 80

# Modules that a module imports at its top. What only types are written with is no dependency.
IMPORTS_MOST = 15
VOCABULARY = {"__future__", "collections.abc", "dataclasses", "typing"}

# Methods and properties of a class without a leading underscore.
METHODS_MOST = 20

# `except Exception` and its like, per thousand lines of source.
BROAD_EXCEPTS_PER_1000 = 0.5

# Written by scripts/reference: as long as what it is written from makes it.
GENERATED = {"api/methods.py"}

# path -> why it may be longer: grammars, tables.
LONG_FILES: dict[str, str] = {}

# path:function -> why it may be longer.
LONG_FUNCTIONS: dict[str, str] = {}

# path -> (how many it may import, why): a place that puts others together names each of them.
MANY_IMPORTS = {
    "daemon/indexing.py": (18, "follows the store's log into the index through its worker"),
    "daemon/lifecycle.py": (18, "starts and ends everything that runs in the daemon"),
    "gateway/command.py": (17, "puts the gateway's process together"),
    "gateway/service.py": (17, "the application: all that a request passes through"),
    "gateway/windows.py": (20, "puts a request's steps together"),
    "daemon/parts.py": (31, "puts the daemon's parts together"),
    "daemon/running.py": (16, "starts and ends the daemon's parts"),
}

# path:class -> why it may have more.
MANY_METHODS: dict[str, str] = {
    "api/methods.py:Methods": "generated: one method an operation",
}

# Names that say nothing of what is inside.
EMPTY_NAMES = {"base", "common", "core", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}

BROAD = {"Exception", "BaseException"}


def function_lengths() -> dict[str, int]:
    return {
        name: (node.end_lineno or node.lineno) - node.lineno + 1
        for module in modules()
        for name, node in module.functions()
        if module.path not in GENERATED
    }


def test_no_file_is_longer_than_its_limit() -> None:
    written = [module for module in modules() if module.path not in GENERATED]
    long = {module.path: module.lines for module in written if module.lines > FILE_MOST}
    assert unexplained(dict(long), LONG_FILES) == []


def test_what_counts_as_generated_says_so() -> None:
    found = {module.path for module in modules() if "Written by scripts/reference" in module.text[:200]}
    assert found == GENERATED


def test_most_files_are_short() -> None:
    lengths = [module.lines for module in modules()]
    assert percentile(lengths, 0.5) <= FILE_MEDIAN
    assert percentile(lengths, 0.9) <= FILE_P90


def test_no_function_is_longer_than_its_limit() -> None:
    long = {name: lines for name, lines in function_lengths().items() if lines > FUNCTION_MOST}
    assert unexplained(dict(long), LONG_FUNCTIONS) == []


def test_nine_functions_in_ten_are_short() -> None:
    assert percentile(list(function_lengths().values()), 0.9) <= FUNCTION_P90


def test_no_module_imports_more_than_its_limit() -> None:
    counts = {module.path: len(top_imports(module.tree)) for module in modules()}
    limits = {path: most for path, (most, _) in MANY_IMPORTS.items()}
    assert sorted(limits.keys() - counts.keys()) == []
    assert {path: count for path, count in counts.items() if count > limits.get(path, IMPORTS_MOST)} == {}


def top_imports(tree: ast.Module) -> set[str]:
    statements = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return {name for node in statements for name in imported(node)} - VOCABULARY


def test_no_class_has_more_public_methods_than_its_limit() -> None:
    many: dict[str, object] = {}
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                public = {
                    item.name for item in node.body if isinstance(item, Function) and item.name[0] != "_"
                }
                if len(public) > METHODS_MOST:
                    many[f"{module.path}:{node.name}"] = len(public)
    assert unexplained(many, MANY_METHODS) == []


def test_no_function_changes_a_global() -> None:
    found = [
        f"{module.path}:{node.lineno}: global {', '.join(node.names)}"
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Global)
    ]
    assert found == []


def broad_handlers() -> list[tuple[str, str]]:
    """Each broad handler as (`path:line`, its lines up to its body); one that ends by raising again hides nothing."""
    found: list[tuple[str, str]] = []
    for module in modules():
        source = module.text.splitlines()
        for node in ast.walk(module.tree):
            if not isinstance(node, ast.ExceptHandler) or raises_again(node):
                continue
            caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            if any(item is None or (isinstance(item, ast.Name) and item.id in BROAD) for item in caught):
                head = "\n".join(
                    source[node.lineno - 1 : node.body[0].lineno - 1] or [source[node.lineno - 1]]
                )
                found.append((f"{module.path}:{node.lineno}", head))
    return found


def raises_again(node: ast.ExceptHandler) -> bool:
    last = node.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def test_broad_handlers_are_rare() -> None:
    lines = sum(module.lines for module in modules())
    found = broad_handlers()
    assert len(found) <= BROAD_EXCEPTS_PER_1000 * lines / 1000, found


def test_every_broad_handler_says_why_on_its_line() -> None:
    silent = [place for place, line in broad_handlers() if len(line.partition("#")[2].split()) < 4]
    assert silent == []


def test_no_file_or_folder_has_a_name_that_says_nothing() -> None:
    found = [
        module.path
        for module in modules()
        if EMPTY_NAMES & {part.removesuffix(".py") for part in module.path.split("/")}
    ]
    assert found == []


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        ([], 0.9, 0),
        ([7], 0.9, 7),
        (list(range(1, 11)), 0.9, 9),
        (list(range(1, 11)), 0.5, 5),
        ([1, 9], 0.9, 9),
    ],
)
def test_a_percentile_is_the_smallest_value_that_the_share_does_not_exceed(
    values: list[int], share: float, expected: int
) -> None:
    assert percentile(values, share) == expected
