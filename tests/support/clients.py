"""Where the real clients are, for tests that start them.

`UNABRIDGED_TEST_CLIENTS` names a folder with all of them in one `node_modules` (`npm i --prefix FOLDER PACKAGE …`), or
with a folder for each (`npm i --prefix FOLDER/NAME PACKAGE`); without it the tests that need them are skipped.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

VARIABLE = "UNABRIDGED_TEST_CLIENTS"
RUN_WITHIN = 120  # seconds for one run of a client
# The environment of a client before what it needs: another agent's must not leak into it.
PLAIN = {"PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "xterm", "LANG": "C.UTF-8"}


def client_file(name: str, *candidates: str) -> Path:
    """The first of some files below `node_modules`; skips the test when there is none."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        pytest.skip(f"{VARIABLE} is not set")
    for modules in (Path(folder) / "node_modules", Path(folder) / name / "node_modules"):
        for candidate in candidates:
            if (modules / candidate).is_file():
                return modules / candidate
    pytest.skip(f"{name} is not installed in {folder}")


def run_client(
    command: Sequence[str | Path], cwd: Path, env: Mapping[str, str], *, errors: bool = False
) -> str:
    """Run a client to its end, with nothing of this process's environment; returns what it wrote.

    `errors`: also what it wrote to its error output.
    """
    result = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**PLAIN, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=RUN_WITHIN,
        check=False,
    )
    assert result.returncode == 0, f"{result.stdout}\n{result.stderr}"
    return result.stdout + (result.stderr if errors else "")
