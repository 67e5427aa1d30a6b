"""Run by `python -m unabridged`: the command line."""

import sys

from unabridged.app.main import main

if __name__ == "__main__":
    sys.exit(main())
