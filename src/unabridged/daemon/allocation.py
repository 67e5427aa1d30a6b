"""Settings of the C library that keep a process small which holds large blocks for a short time."""

from __future__ import annotations

import ctypes
import sys

# mallopt(3): what is above the first threshold goes back to the system when it is let go of; and how many arenas.
_TRIM, _MMAP, _ARENAS = -1, -3, -8
# Bodies of requests come and go all the time: what is given back has to be zeroed by the system when it is wanted
# again, which costs a request of 1 MiB some milliseconds. So only larger blocks are, and what is free at the end.
MMAP_BYTES, TRIM_BYTES, ARENAS = 4 << 20, 16 << 20, 2


def thrifty() -> bool:
    """Set them for this process; tell whether the C library has them."""
    if sys.platform != "linux":
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another C library
        return False
    return all(
        mallopt(name, value) for name, value in ((_MMAP, MMAP_BYTES), (_TRIM, TRIM_BYTES), (_ARENAS, ARENAS))
    )
