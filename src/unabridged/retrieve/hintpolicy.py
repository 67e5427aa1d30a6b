"""What to tell of a message's sources: nothing, a marker, or an excerpt. Pure: sources in, a verdict out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from unabridged.retrieve.hintintent import ERROR_CODE, SEVERAL, Intent
from unabridged.retrieve.hintsources import Source

NOTHING, MARKER, EXCERPT = "nothing", "marker", "excerpt"

ENOUGH = 0.6  # share of a message's weight that a source of several telling words holds at least
ENOUGH_IMPLICIT = 0.65  # the same, where history was not asked for
ENOUGH_NAMED = 0.35  # the same, where it holds the names
WANTED = 0.15  # what being of the sort that was asked for counts beside the share
BESIDE = (
    0.25  # by which another source's share is less than the best one's at most, so that it may contradict it
)
TIGHT = 0.05  # what it counts that the words stand in one phrase
PHRASE = 80  # characters of one
APART = 0.12  # by which the best source's share is ahead of one that is clearly behind
AHEAD = 0.2  # by which its score is, relatively, where the shares are as good as equal
EXPOSED = 4  # sources that one hint lets rest

Test = Callable[[Source], bool]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to tell. `best`: of which source; `rest`: which sources it lets rest; `words`: which words they hold."""

    outcome: str
    reason: str
    best: Source | None = None
    rest: tuple[Source, ...] = ()
    words: frozenset[int] = frozenset()


def judge(
    intent: Intent, found: Sequence[Source], is_stale: Test, rests: Test, is_corrected: Test
) -> Verdict:
    """Return what to tell of sources, which stand in the order of their share.

    is_stale: it is too old. rests: it was told of a short time ago. is_corrected: what follows it takes it back,
    which is asked of one source at most.
    """
    is_strong = is_strong_for_asked if intent.kind == "historical" else is_strong_for_implicit
    strong = [item for item in found if is_strong(intent, item)]
    if not strong:
        return Verdict(NOTHING, "weak-evidence", found[0] if found else None)
    near = intent.kind == "implicit"  # a matter is known by its phrase
    strong.sort(key=lambda item: (-_weight(item), item.spread if near else 0, -item.score, item.key))
    fresh = [item for item in strong if not is_stale(item)]
    if not fresh:
        return Verdict(NOTHING, "stale-source", strong[0])
    best, words = fresh[0], frozenset(fresh[0].words)
    if _is_one_word(best) and any(item is not best and best.words & item.words for item in found):
        return Verdict(NOTHING, "weak-evidence", best)
    if intent.kind == "implicit":
        as_good = [item for item in fresh[:EXPOSED] if item.share > best.share - APART]
        if any(rests(item) for item in as_good):
            return Verdict(NOTHING, "repeated-source", best)
        return Verdict(MARKER, "recurring-matter", best, (best,), words)
    if rests(best):
        return Verdict(NOTHING, "repeated-source", best)
    rivals = [item for item in fresh[1:] if not _is_behind(item, best)]
    against = [item for item in fresh if item.reverses and item.share > best.share - BESIDE]
    if against and len(fresh) > 1:
        others = [item for item in (*rivals, *against) if item is not best]
        return Verdict(MARKER, "conflict", best, (best, *others)[:EXPOSED], words)
    if rivals:
        return Verdict(MARKER, "ambiguous", best, (best, *rivals)[:EXPOSED], words)
    if is_corrected(best):
        return Verdict(MARKER, "conflict", best, (best,), words)
    return Verdict(EXCERPT, "asked" if intent.reason == "asked" else "named", best, (best,), words)


def _is_one_word(item: Source) -> bool:
    """Tell whether a source is known by one word alone: that says something only where no other source has it."""
    return len(item.words) == 1 and not item.whole and not item.wanted


def _weight(item: Source) -> float:
    return item.share + (WANTED if item.wanted else 0.0) + (TIGHT if item.spread <= PHRASE else 0.0)


def _is_behind(item: Source, best: Source) -> bool:
    """Tell whether a source is clearly less than the best one."""
    lead = _weight(best) - _weight(item)
    if lead >= APART:
        return True
    return lead >= 0 and item.score <= best.score * (1 - AHEAD) and item.words < best.words


def is_strong_for_asked(intent: Intent, item: Source) -> bool:
    """Tell whether a source is about what history was asked of."""
    names, telling = _held(intent, item)
    wanted_names = {at for at, word in enumerate(intent.words) if word.rank == "name"}
    if wanted_names:
        return names == wanted_names and item.share >= ENOUGH_NAMED
    if item.share < ENOUGH:
        return False
    if len(telling) > 1:
        return True
    if telling:
        return True
    return _is_whole_phrase(intent, item) and (item.wanted or len(item.words) >= SEVERAL)


def is_strong_for_implicit(intent: Intent, item: Source) -> bool:
    """Tell whether a source is about the matter of a message that does not ask for history."""
    names, telling = _held(intent, item)
    own = {at for at in names if not ERROR_CODE.fullmatch(intent.words[at].source)}
    if any("/" not in intent.words[at].source for at in own) or (names and (own or len(names | telling) > 1)):
        return item.share >= ENOUGH_NAMED
    if not telling:
        return _is_whole_phrase(intent, item) and len(item.words) >= SEVERAL
    if len(telling | names) == 1:  # one word says enough only with all others beside it
        return len(item.words) > 1 and _is_whole_phrase(intent, item)
    return item.share >= ENOUGH_IMPLICIT and item.together


def _is_whole_phrase(intent: Intent, item: Source) -> bool:
    """Tell whether a source holds all words of a message in one phrase."""
    return len(item.words) == len(intent.words) and item.spread <= PHRASE


def _held(intent: Intent, item: Source) -> tuple[set[int], set[int]]:
    """Return the names that a source holds whole, and the telling words that it holds."""
    telling = {at for at in item.words if intent.words[at].rank == "telling"}
    return set(item.whole), telling
