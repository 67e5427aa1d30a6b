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
