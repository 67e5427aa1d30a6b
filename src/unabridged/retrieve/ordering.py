"""From candidates to their order, whatever page of it is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.retrieve import feedback, meaning, timely
from unabridged.retrieve.asked import Finder, Search
from unabridged.retrieve.candidate import POOL, Candidate
from unabridged.retrieve.context import Context
from unabridged.retrieve.eligible import Eligibility
from unabridged.retrieve.judging import Judging
from unabridged.retrieve.neighbours import spread, with_neighbours
from unabridged.retrieve.questions import asks
from unabridged.retrieve.rank import Ranked, rank
from unabridged.retrieve.replying import Replies, with_replies
from unabridged.retrieve.settling import settled
from unabridged.retrieve.wording import worded


def order(
    context: Context,
    finder: Finder,
    request: Search,
    eligible: Eligibility,
    blocks: Sequence[Sequence[Candidate]],
    judging: Judging,
) -> tuple[list[Ranked], dict[str, int]]:
    """Return candidates, given in blocks, in their final order, and how many were left out by reason.

    They are ranked in blocks of the same size, however many were fetched, so that all pages are cut from one order.
    """
    found, dropped = dict[tuple[bytes, int], Ranked](), dict[str, int]()
    for start, candidates in enumerate(blocks):
        sifted, left_out = eligible.sift(candidates)
        pairs = meaning.weighed(sifted, request.query)
        for why, count in left_out.items():
            dropped[why] = dropped.get(why, 0) + count
        # An expression is satisfied or not: what stands beside does not satisfy it.
        if start or request.operators:
            block = rank(pairs, context.now)
        else:
            asking = asks(request.query)
            around = with_neighbours(context.reader, pairs, eligible.allows, always=asking)
            replies = Replies()
            if asking:
                around, replies = with_replies(context, around, eligible.allows)
            best = worded(context, request.query, rank(around, context.now), replies)
            block = spread(judging.order(best))
        if not start:
            block = settled(context, finder, request, block)
        for item in block:
            found.setdefault((item.event.project, item.event.ordinal), item)
    return list(found.values()), dropped


def blocks(
    candidates: Sequence[Candidate], meant: meaning.Meant, then: Sequence[Candidate], fed: feedback.Fed
) -> list[Sequence[Candidate]]:
    """Return the blocks that are ranked by themselves; what meaning found is in the first, beside more of words.

    So is what words found of the time that the question names (`then`), and what feedback adds.
    """
    first = POOL if meant.nearest is None else meaning.BESIDE_MEANING
    head = candidates[:first] if meant.nearest is None else meaning.join(candidates[:first], meant.nearest)
    head = feedback.join(timely.join(head, then), fed)
    return [head, *(candidates[start : start + POOL] for start in range(first, len(candidates), POOL))]
