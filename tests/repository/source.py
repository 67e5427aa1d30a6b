"""The source tree as parsed modules: what the tests of this folder measure."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "src" / "unabridged"

# The layers below `daemon`: what lies in them gets its time, randomness, environment and paths as arguments.
BELOW_DAEMON = (
    "archive",
    "claims",
    "hosts",
    "index",
    "models",
    "retrieve",
    "schema",
    "service",
    "store",
    "summary",
    "window",
)

# Left out when files of the repository are listed: made by tools, or not part of it.
SKIPPED = {".git", ".venv", ".cache", "__pycache__", "build", "dist", "node_modules", "venv"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One source file: its path below src/unabridged (with /), its text and its syntax tree."""

    path: str
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        """Physical lines, comments and blanks included."""
        return self.text.count("\n")

    @property
    def layer(self) -> str:
        """The folder directly below the package, or the file's own name there."""
        return self.path.split("/", 1)[0].removesuffix(".py")

    def functions(self) -> Iterator[tuple[str, Function]]:
        """Yield every function and method as (`path:name`, node)."""
        for node in ast.walk(self.tree):
            if isinstance(node, Function):
                yield f"{self.path}:{node.name}", node

    def local_imports(self) -> Iterator[tuple[int, str]]:
        """Yield (line, imported module) of each import inside a function."""
        seen: set[int] = set()
        for _, function in self.functions():
            for node in ast.walk(function):
                if isinstance(node, ast.Import | ast.ImportFrom) and node.lineno not in seen:
                    seen.add(node.lineno)
                    for name in imported(node):
                        yield node.lineno, name


@cache
def modules() -> tuple[Module, ...]:
    """Parse every source file once, in path order."""
    found: list[Module] = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        found.append(Module(path.relative_to(PACKAGE).as_posix(), text, ast.parse(text, filename=str(path))))
    return tuple(found)


@cache
def package_folders() -> tuple[str, ...]:
    """Every folder below src/unabridged that holds Python, as a path with /, in order; not the package itself."""
    folders = {Path(module.path).parent.as_posix() for module in modules()}
    return tuple(sorted(folders - {"."}))


@cache
def repository_files(suffix: str = "") -> tuple[Path, ...]:
    """Every file of the repository whose name ends so, outside of what tools made."""
    found: list[Path] = []
    pending = [ROOT]
    while pending:
        for path in sorted(pending.pop().iterdir()):
            if path.name in SKIPPED or path.name.endswith("_cache") or path.name == ".hypothesis":
                continue
            if path.is_dir() and not path.is_symlink():
                pending.append(path)
            elif path.is_file() and path.name.endswith(suffix):
                found.append(path)
    return tuple(sorted(found))


def imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Name the modules of an import statement."""
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names]


def percentile(values: list[int], share: float) -> int:
    """Return the smallest value that at least `share` (0-1) of the values do not exceed; 0 for none."""
    if not values:
        return 0
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * round(share * 100) // 100) - 1)]


def unexplained(found: dict[str, object], allowed: dict[str, str]) -> list[str]:
    """List what was found without an entry in the allow-list, and entries that nothing needs any longer."""
    over = [f"{name}: {value}" for name, value in sorted(found.items()) if name not in allowed]
    return over + [
        f"{name}: allowed, but nothing needs it any longer" for name in sorted(allowed) if name not in found
    ]
