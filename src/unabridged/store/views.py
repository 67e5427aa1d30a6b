"""A view shared by many holders: closed when the last of them lets go."""

from __future__ import annotations

import threading

from unabridged.errors import StoreClosed
from unabridged.store.bytes import ByteView


class SharedView:
    """A view with a count of its holders."""

    __slots__ = ("_holders", "_lock", "view")

    def __init__(self, view: ByteView) -> None:
        """Begin with one holder, the maker."""
        self.view = view
        self._holders = 1
        self._lock = threading.Lock()

    def acquire(self) -> bool:
        """Take part in holding it; False when it is closed already."""
        with self._lock:
            if not self._holders:
                return False
            self._holders += 1
            return True

    def release(self) -> None:
        """Let go once; the last one closes the view."""
        with self._lock:
            if not self._holders:
                raise StoreClosed("a view was released more often than it was taken")
            self._holders -= 1
            last = not self._holders
        if last:
            self.view.close()
