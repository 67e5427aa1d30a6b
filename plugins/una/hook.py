"""What a host runs at each of its events: `<python> -I -S -E <this file> HOST [--home DIR]`.

All that it does is in `hookclient.py` beside it. Python compiles the file that it is started with anew each time, which
would take longer than everything else here; what that file loads is compiled once. Whatever happens, it exits with 0
and says nothing of its own.
"""

import sys

try:
    import posix
    from _frozen_importlib_external import SourceFileLoader  # pyright: ignore
except ImportError:  # no daemon runs on such a system yet
    sys.exit(0)

NAME = "hookclient"


def run() -> None:
    """Handle one event; the process ends here."""
    folder, slash, _ = __file__.rpartition("/")
    path = f"{folder}{slash}{NAME}.py"
    names = {"__name__": NAME, "__file__": path}
    try:
        exec(SourceFileLoader(NAME, path).get_code(NAME), names)  # pyright: ignore
        names["run"]()  # pyright: ignore
    finally:
        posix._exit(0)  # pyright: ignore


if __name__ == "__main__":
    run()
