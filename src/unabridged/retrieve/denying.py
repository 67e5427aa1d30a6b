"""How much of what a question presumes a text denies.

To "which pump failed?" a text that says of a pump that it did not fail is no answer, though it holds the words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import re2

NEAR = 3  # words behind a denying one, that it may speak of

# So that what is asked for did happen.
_PRESUMING = re.compile(r"\W*(?:which|what|who|whose|when|where|how)\b")
_OPEN = re.compile(r"\b(?:should|shall|must|may|might|can|could|would|allowed|want|whether)\b")
_DENIES = re2.compile(
    r"\b(?:no|not|never|without|neither|nor|cannot|none|hardly)\b"
    r"|\b(?:is|are|was|were|do|does|did|wo|would|ca|could|should|has|have|had)n't\b"
)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_FOLLOWING = re.compile(rf"(?:[^\w.,;:!?()\n]+\w+){{1,{NEAR}}}")


class Denying:
    """A question, in lower case, with the words of it in their forms."""

    def __init__(self, low: str, words: Mapping[str, Sequence[str]]) -> None:
        """Look for denials of `words` where the question presumes something."""
        # To "should we use it?" a denial is an answer, and who asks for what is not finds it in one.
        presuming = _PRESUMING.match(low) and not _OPEN.search(low) and _DENIES.search(low) is None
        known = words.items() if presuming else ()
        self._forms = {form: word for word, forms in known for form in forms}

    def share(self, low: str) -> float:
        """Return the share of the question's words in a text that stand behind a denying word only."""
        forms, behind = self._forms, Counter[str]()
        for end in _denials(low) if forms else ():
            if (following := _FOLLOWING.match(low, end)) is not None:
                behind.update(word for word in _WORD.findall(following[0]) if word in forms)
        if not behind:
            return 0.0
        there = Counter(word for word in _WORD.findall(low) if word in forms)
        free = {forms[word] for word, count in there.items() if count > behind[word]}
        return 1 - len(free) / len({forms[word] for word in there})


def _denials(low: str) -> Iterator[int]:
    """Yield where each denying word ends."""
    found: Any = _DENIES.finditer(low)
    for one in found:
        yield one.end()
