"""The best passages are read again, together with the question, by a cross-encoder, where the user has named one.

Nothing depends on it: what it did not read in time keeps its place behind what it read, and where it does not answer
the order stays as it was, which the account says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from unabridged.errors import UnabridgedError
from unabridged.retrieve.context import Context
from unabridged.retrieve.rank import Ranked

READ = 40  # best passages that are read
PASSAGE_BYTES = 2_000  # of each, from its start
JUDGED = "judged"  # its stage


class Judging:
    """The judgements of one search, asked for once."""

    def __init__(self, context: Context, question: str, wanted: bool) -> None:
        """Judge for a question; `wanted` is false where it is answered without models."""
        self._context = context
        self._question = question
        self._wanted = wanted
        self._scores: dict[bytes, float] | None = None
        self.account: dict[str, Any] = {}

    def order(self, ranked: Sequence[Ranked]) -> list[Ranked]:
        """Return passages with the first `READ` in the order of their judgements.

        One that does not hold a name of the question exactly never passes one that does.
        """
        if self._scores is None:
            self._scores = self._asked(ranked[:READ]) if self._wanted else {}
        scores = self._scores
        if not scores:
            return list(ranked)
        head = list(ranked[:READ])
        for exact in (True, False):
            places = [at for at, item in enumerate(head) if (item.stages["exact"] > 0) is exact]
            judged = [head[at] for at in places if head[at].event.id in scores]
            judged.sort(key=lambda item: -scores[item.event.id])
            rest = [head[at] for at in places if head[at].event.id not in scores]
            told = [
                replace(item, stages={**item.stages, JUDGED: round(scores[item.event.id], 4)})
                for item in judged
            ]
            for at, item in zip(places, [*told, *rest], strict=True):
                head[at] = item
        return [*head, *ranked[READ:]]

    def _asked(self, ranked: Sequence[Ranked]) -> dict[bytes, float]:
        meanings = self._context.meanings
        if meanings is None or not ranked or not meanings.judges():
            return {}
        texts, kept = list[str](), list[Ranked]()
        for item in ranked:
            try:
                data = self._context.resolver.event_bytes(item.event)
            except UnabridgedError:
                continue  # the answer's account tells of what cannot be read
            end = min(item.end, item.start + PASSAGE_BYTES)
            texts.append(data[item.start : end].decode("utf-8", "ignore"))
            kept.append(item)
        found = meanings.judge(self._question, texts)
        if isinstance(found, str):
            self.account = {"reranker": found}
            return {}
        self.account = {"reranker": "used", "reranked": len(found)}
        return {item.event.id: score for item, score in zip(kept, found, strict=False)}
