"""Which rules bear which version: `python -m tests.archive.redact.ruleset` records what `RULESET_VERSION` stands for.

`ruleset.json` holds the digests of the modules for every version. Where code changed but what is redacted did not,
`--unchanged` records the new ones under the same version; whoever says so has run the suite of redaction before and
after.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from unabridged.archive import redact
from unabridged.archive.redact import RULESET_VERSION

FILE = Path(__file__).with_name("ruleset.json")
NOT_RULES = {"__init__.py", "custom.py", "rawpattern.py"}  # the user's own rules have no version
NAMED = ("value", "id", "attr", "arg", "name")  # what tells a node from others of its class
VERSION = "RULESET_VERSION"
DIGITS = 16  # of a digest


def digests() -> dict[str, str]:
    """Return a digest of every module that decides what is redacted; comments, docstrings, layout do not count."""
    modules = sorted(Path(redact.__file__).parent.glob("*.py"))
    return {
        path.name: source_digest(path.read_text(encoding="utf-8"))
        for path in modules
        if path.name not in NOT_RULES
    }


def source_digest(source: str) -> str:
    """Return the digest of a module's code."""
    return hashlib.sha256("\0".join(_told(ast.parse(source))).encode()).hexdigest()[:DIGITS]


def _told(tree: ast.AST) -> Iterator[str]:
    """Say what each node is: the same words on every version of Python."""
    for node in list(ast.walk(tree)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant(None)  # a docstring
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == VERSION for target in node.targets
        ):
            node.value = ast.Constant(None)
    for node in ast.walk(tree):
        found = (getattr(node, name, None) for name in NAMED)
        told = (repr(it) for it in found if isinstance(it, (str, bytes, int, float)))
        yield " ".join((type(node).__name__, *told))


def load() -> dict[str, dict[str, str]]:
    """Return the digests of every version, the oldest first."""
    recorded: dict[str, dict[str, str]] = json.loads(FILE.read_text())
    return recorded


def main() -> int:
    """Record the present rules; refuse other rules under a version that is taken."""
    recorded = load() if FILE.exists() else {}
    if "--unchanged" not in sys.argv and recorded.get(str(RULESET_VERSION), digests()) != digests():
        print(f"{VERSION} {RULESET_VERSION} stands for other rules: raise it.", file=sys.stderr)
        return 1
    recorded[str(RULESET_VERSION)] = digests()
    FILE.write_text(json.dumps(recorded, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
