"""Imports toy transcripts into a store until it is done or killed: `importing_child.py STORE FILE…`.

Prints `ack N` after each commit that the store acknowledged.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.support.archiving import PROJECT, ingest, newest
from tests.support.toy_host import NoRedaction, ToyHost
from unabridged.hosts.contract import Head
from unabridged.schema.ids import origin_id
from unabridged.store.open import open_store


def main() -> int:
    host = ToyHost()
    store = open_store(sys.argv[1], create=True)
    for name in sys.argv[2:]:
        path = Path(name)
        data = path.read_bytes()
        prior = newest(store.snapshot(), origin_id("toy", str(path)))
        for done in ingest(store, host, str(path), data, Head(path.stem, ""), NoRedaction(), prior=prior):
            generation = done.generation
            print("ack", path.name, generation.stored_offset, flush=True)
    store.close()
    print("done", PROJECT.hex(), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
