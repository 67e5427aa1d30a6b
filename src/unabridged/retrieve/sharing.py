"""How a budget is shared among pieces of text by how much each matters: pure."""

from __future__ import annotations

from collections.abc import Sequence


def share(needs: Sequence[int], weights: Sequence[int], budget: int) -> list[int]:
    """Return how much of a budget each piece gets: never more than it needs, all together never more than there is.

    Whoever needs less than its share (by weight, all above 0) leaves the rest to the others, until nobody does.
    """
    given = [0] * len(needs)
    hungry: list[int] = list(range(len(needs)))
    left = max(0, budget)
    while hungry:
        whole = sum(weights[at] for at in hungry)
        fed: list[int] = [at for at in hungry if needs[at] * whole <= left * weights[at]]
        if not fed:
            for at in hungry:
                given[at] = left * weights[at] // whole
            return given
        for at in fed:
            given[at] = needs[at]
        left -= sum(needs[at] for at in fed)
        hungry = [at for at in hungry if at not in fed]
    return given


def fitting(needs: Sequence[int], weights: Sequence[int], budget: int, least: int) -> list[int]:
    """Return the shares of as many first pieces as get at least `least` (or all that they need) of a budget."""
    count = len(needs)
    while count:
        given = share(needs[:count], weights[:count], budget)
        short = [at for at in range(count) if given[at] < min(least, needs[at])]
        if not short:
            return given
        count -= 1
    return []
