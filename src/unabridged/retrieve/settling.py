"""The last word on the order of the best hits, after their evidence has been weighed."""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.retrieve.asked import Finder, Search
from unabridged.retrieve.context import Context
from unabridged.retrieve.importance import weigh
from unabridged.retrieve.leaning import lean
from unabridged.retrieve.rank import Ranked
from unabridged.retrieve.replaced import behind_corrections


def settled(context: Context, finder: Finder, request: Search, ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return hits as their asker wants them.

    Near-ties are decided by what proved useful, then by what he has in hand; what is wrong stands behind what is right.
    """
    order = lean(context, finder, request, weigh(context.used, ranked))
    return behind_corrections(context.reader, order, notes=request.filters.superseded)
