"""A command ends at once where nothing is left to do, and properly where something is."""

from __future__ import annotations

import subprocess
import sys

import pytest

from unabridged import __version__

MAIN = "from unabridged.app.main import main; import sys; sys.argv = ['una', {word!r}]; "
# Said by the interpreter while it takes itself apart, which a command that ends at once does not wait for.
LAST = "import sys; sys.last = type('Last', (), {'__del__': lambda self: print('taken apart')})(); "


def run(code: str, word: str = "--version") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", MAIN.format(word=word) + code], capture_output=True, check=False
    )


def test_a_command_that_leaves_nothing_ends_at_once_with_all_that_it_wrote() -> None:
    done = run(LAST + "sys.exit(main())")
    assert (done.returncode, done.stdout.decode()) == (0, f"unabridged {__version__}\n")


def test_the_status_of_an_error_is_kept() -> None:
    done = run("sys.exit(main())", "serch")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"una search" in done.stderr


@pytest.mark.parametrize("place", ["unabridged.cli.arguments", "unabridged.cli.why"])
def test_an_interrupt_leaves_no_trace_of_the_program(place: str) -> None:
    first = f"""
import os, sys
class Interrupted:  # by a person, when the command has come as far as to import a module
    def find_spec(self, name, path=None, target=None):
        if name == {place!r}:
            os.kill(os.getpid(), 2)
sys.meta_path.insert(0, Interrupted())
"""
    done = subprocess.run(
        [sys.executable, "-c", first + MAIN.format(word="why") + "sys.exit(main())"],
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    assert done.returncode in (-2, 130)


@pytest.mark.parametrize(
    "before",
    [
        "import atexit; atexit.register(print, 'last'); sys.exit(main())",
        "import threading; threading.Timer(0.2, print, ['last']).start(); sys.exit(main())",
        "sys.setprofile(lambda *_: None); main(); print('last')",
        "sys.settrace(lambda *_: None); main(); print('last')",
    ],
    ids=["handler", "thread", "profiler", "tracer"],
)
def test_what_waits_for_the_end_is_waited_for(before: str) -> None:
    done = run(before)
    assert (done.returncode, done.stdout.decode()) == (0, f"unabridged {__version__}\nlast\n")


def test_a_stream_that_takes_nothing_more_is_an_error_as_ever() -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        code = MAIN.format(word="--version") + "sys.exit(main())"
        done = subprocess.run([sys.executable, "-c", code], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert b"the output cannot be written" in done.stderr
