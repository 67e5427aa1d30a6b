"""What to tell of a message's sources: nothing, a marker, or an excerpt. Pure: sources in, a verdict out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from unabridged.retrieve import hintlive
from unabridged.retrieve.hintanswer import SETTLING, says_change
from unabridged.retrieve.hintintent import ERROR_CODE, SEVERAL, Intent
from unabridged.retrieve.hintmatch import weight_of
from unabridged.retrieve.hintturns import PAYLOAD, Source

NOTHING, MARKER, EXCERPT = "nothing", "marker", "excerpt"

ENOUGH = 0.6  # share of a message's weight that a source of several telling words holds at least
ENOUGH_WANTED = 0.5  # the same, where it is of the sort that was asked for and no other source comes near
ENOUGH_IMPLICIT = 0.65  # the same, where history was not asked for
ENOUGH_PHRASE = 0.5  # the same, where its telling words stand in one phrase
EVIDENCE = 1.0  # rarity that these have together at least
ENOUGH_PAIRED = 0.4  # the same, where two telling words stand side by side in both
ENOUGH_BESIDE = 0.56  # the same, where the message has other telling words, too
ENOUGH_SEVERAL, LEAST_OWN = (
    0.5,
    0.3,
)  # the same, where a conversation holds several of its words; of one turn of it
ENOUGH_NAMED = 0.35  # the same, where it holds the names
ANSWERING = 0.5  # of what a conversation's best sentence scores, that counts beside the share
BESIDE = 0.25  # by which a source's share is below the best one's at most, so that it may contradict it
TIGHT = 0.05  # what it counts that the words stand in one phrase
CLOSE = 30  # characters between common words that together name one thing
PHRASE = 80  # characters of one
TOGETHER = 140  # characters within which the words of a matter stand
APART = 0.12  # by which the best source's share is ahead of one that is clearly behind
AHEAD = 0.2  # by which its score is, relatively, where the shares are as good as equal
NEARLY = (
    0.35  # by which the answer of a newer conversation is behind at most, to hold in place of an older one
)
SAME_MATTER = 0.5  # share of the words of a matter that a conversation which changes it holds at least
TIE = 0.02  # by which the shares of sources differ that hold as much
LOOKED, AROUND = 3, 2  # sources that are looked at more closely; of them, whose conversation is read
LEAST, FAR_BEHIND = (
    0.3,
    0.4,
)  # share of a message that such a one holds at least; how much less than the best one
EXPOSED = 4  # sources that one hint lets rest

Test = Callable[[Source], bool]


@dataclass(frozen=True, slots=True)
class Tests:
    """What is asked of a source: whether it is too old; whether it was told of a short time ago (with True: quoted);
    whether what follows takes it back; `closer` looks for its answer in what was read, with True around that, too.
    """

    is_stale: Test
    rests: Callable[[Source, bool], bool]
    is_corrected: Test
    closer: Callable[[Source, bool], None]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to tell. `best`: of which source; `rest`: which sources it lets rest; `words`: which words they hold."""

    outcome: str
    reason: str
    best: Source | None = None
    rest: tuple[Source, ...] = ()
    words: frozenset[int] = frozenset()


def judge(intent: Intent, found: Sequence[Source], tests: Tests) -> Verdict:
    """Return what to tell of sources, the best turn of each conversation, which stand in the order of their share."""
    if intent.kind == "implicit":
        return _of_matter(intent, found, tests)
    found = _answering(found, tests)
    strong = _strong(intent, found)
    if not strong:
        return Verdict(NOTHING, "weak-evidence", found[0] if found else None)
    fresh = [item for item in strong if not tests.is_stale(item)]
    stale = max((item for item in strong if item not in fresh), key=lambda item: item.share, default=None)
    if stale is not None and not (
        fresh and fresh[0].share > stale.share - (0.0 if _is_payload(stale) else APART)
    ):
        return Verdict(NOTHING, "stale-source", stale)
    near = _near(intent, fresh, [item for item in found if not tests.is_stale(item)])
    best = _holding(intent, near)
    told = best or near[0]
    tests.closer(told, True)
    words = frozenset(told.words | told.lent)
    reason = "ambiguous" if best is None else "conflict" if tests.is_corrected(told) else ""
    if tests.rests(told, not reason):
        return Verdict(NOTHING, "repeated-source", told)
    if reason:
        return Verdict(MARKER, reason, told, (told, *near[1:])[:EXPOSED], words)
    return Verdict(EXCERPT, "asked" if intent.reason == "asked" else "named", told, (told,), words)


def _answering(found: Sequence[Source], tests: Tests) -> list[Source]:
    """Return the sources without those in which nobody answered; the best of them are looked at more closely."""
    kept, looked = list[Source](), 0
    for at, item in enumerate(found):
        near = item.share >= max(LEAST, found[0].share - FAR_BEHIND) or (
            item.share >= found[0].share * SAME_MATTER
            and item.time > found[0].time
            and says_change(item.text)
        )
        if looked < LOOKED and at < 2 * LOOKED and near:
            tests.closer(item, looked < AROUND and item.share >= found[0].share - TIE)
            looked += not item.bare
        if not item.bare:
            kept.append(item)
    return kept


def _is_payload(item: Source) -> bool:
    return item.event.kind in PAYLOAD


def _strong(intent: Intent, found: Sequence[Source]) -> list[Source]:
    """Return the sources that are about what history was asked of, the best first."""
    strong = [item for item in found if is_strong_for_asked(intent, item)]
    if not strong:  # other words for some of it, where nothing else comes near
        strong = [
            item
            for item in found
            if item.wanted
            and item.share >= ENOUGH_WANTED
            and (
                intent.wants in ("decision", "reason", "repair")
                or all(other is item or other.share <= item.share - BESIDE for other in found)
            )
        ]
    strong.sort(key=lambda item: (-_weight(item), -item.score, item.key))
    best = strong[0] if strong else None
    if best is not None and _is_one_word(best):
        held = [item for item in found if item.session != best.session and best.words & item.words]
        return [] if len(held) > (1 if intent.wants == "decision" else 0) else strong
    return strong


def _of_matter(intent: Intent, found: Sequence[Source], tests: Tests) -> Verdict:
    """Return what to tell of a matter that is not asked of; it is known by its phrase."""
    strong = [item for item in found if is_strong_for_implicit(intent, item)]
    strong.sort(key=lambda item: (-_weight(item), item.spread, -item.score, item.key))
    holding = _held_by_somebody(strong, tests)  # none is looked at more closely before it is needed
    first = next(holding, None)
    if first is None:
        return Verdict(NOTHING, "weak-evidence", found[0] if found else None)
    best = next((item for item in chain((first,), holding) if not tests.is_stale(item)), None)
    if best is None or (best is not first and _is_behind(best, first)):
        return Verdict(NOTHING, "stale-source", first)
    if tests.rests(best, False):
        return Verdict(NOTHING, "repeated-source", best)
    return Verdict(MARKER, "recurring-matter", best, (best,), frozenset(best.words))


def _held_by_somebody(strong: Sequence[Source], tests: Tests) -> Iterator[Source]:
    """Yield the sources but those in which nobody answered; the best of them are looked at more closely."""
    for at, item in enumerate(strong):
        if at < LOOKED and item.event.role == "user":  # what an agent said is an answer
            tests.closer(item, True)
        if not item.bare:
            yield item


def _near(intent: Intent, fresh: Sequence[Source], others: Sequence[Source]) -> list[Source]:
    """Return the sources that come near the best one of all, which is the first.

    One that takes something back, or settles it anew, counts where it is newer, even if it holds somewhat less.
    """
    best, found = fresh[0], list[Source]()
    newer = [item for item in others if item.time > best.time and _settles(intent, item, best)]
    for item in (*fresh, *newer):
        if item not in found and (item is best or not _is_behind(item, best) or item in newer):
            found.append(item)
    return found


def _holding(intent: Intent, near: Sequence[Source]) -> Source | None:
    """Return which of several conversations holds; None where that cannot be told.

    What takes back what others say does; of decisions on the same matter the last one.
    """
    if len(near) == 1:
        return near[0]
    newest = max(near, key=lambda item: (item.time, item.event.seq))
    best = near[0]
    if _matter(intent, best) and _settles(intent, newest, best):
        return newest
    return best if all(_agree(intent, best, item) for item in near[1:]) else None


def _settles(intent: Intent, item: Source, best: Source) -> bool:
    """Tell whether a newer conversation settles the matter of another one: it answers as well what is asked of it."""
    if item.answer is None or best.answer is None:
        return False
    if intent.wants not in SETTLING:  # what is taken back has no reason any more
        return item.reverses and item.answer.changes and item.share > best.share - BESIDE
    if (
        not (item.fits and (item.wanted or bool(intent.asks)))
        or item.answer.score < best.answer.score - NEARLY
    ):
        return False
    mine, others = _matter(intent, item), _matter(intent, best)
    if others and others <= mine and item.share > best.share - BESIDE:
        return True
    changes = item.reverses or item.answer.changes
    return changes and _weight_of(intent, mine & others) >= SAME_MATTER * _weight_of(intent, others) > 0


def _weight_of(intent: Intent, words: set[int]) -> float:
    return sum(weight_of(intent.words[at]) for at in words)


def _matter(intent: Intent, item: Source) -> set[int]:
    """Return the words that say something by themselves, of those that a conversation holds."""
    return {at for at in item.words | item.lent if intent.words[at].rank != "common"}


def _agree(intent: Intent, one: Source, other: Source) -> bool:
    """Tell whether two answers say the same."""
    return (
        one.answer is not None
        and other.answer is not None
        and hintlive.same(one.answer.text, other.answer.text, intent.query)
    )


def _is_one_word(item: Source) -> bool:
    """Tell whether a source is known by one word alone: that says something only where no other source has it."""
    return len(item.words | item.lent) == 1 and not item.whole and not item.wanted


def _weight(item: Source) -> float:
    return (
        item.share
        + (ANSWERING * item.answer.score if item.answer is not None else 0.0)
        + (TIGHT if item.spread <= PHRASE else 0.0)
    )


def _is_behind(item: Source, best: Source) -> bool:
    """Tell whether a source is clearly less than the best one."""
    lead = _weight(best) - _weight(item)
    if lead >= APART or (lead >= TIGHT and item.words | item.lent < best.words | best.lent):
        return True
    return lead >= 0 and item.score <= best.score * (1 - AHEAD) and item.words < best.words


def is_strong_for_asked(intent: Intent, item: Source) -> bool:
    """Tell whether a source is about what history was asked of."""
    names, telling = _held(intent, item)
    wanted_names = {at for at, word in enumerate(intent.words) if word.rank == "name"}
    if wanted_names:
        alone = not any(word.rank == "telling" for word in intent.words)
        return names == wanted_names and item.share >= (ENOUGH_NAMED if alone else ENOUGH_BESIDE)
    if item.share < ENOUGH:
        return False
    if telling:
        known = len(item.words | item.lent)
        return known > 1 or known == len(intent.words)
    if intent.reason == "asked" and len(item.words) == len(intent.words) > 1 and item.spread <= CLOSE:
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
    if intent.question:  # who asks is told of names only
        return False
    if item.own >= ENOUGH_IMPLICIT and item.spread <= TOGETHER:
        return not item.is_generated
    if item.is_generated:
        return False
    evidence = sum(intent.words[at].rarity for at in telling)
    if item.own >= ENOUGH_PHRASE and item.spread <= PHRASE and evidence >= EVIDENCE:
        return True
    several = sum(intent.words[at].rank == "telling" for at in item.words | item.lent)
    return (item.paired and item.share >= ENOUGH_PAIRED) or (
        several >= SEVERAL and item.own >= LEAST_OWN and item.share >= ENOUGH_SEVERAL
    )


def _is_whole_phrase(intent: Intent, item: Source) -> bool:
    """Tell whether a source holds all words of a message in one phrase."""
    return len(item.words) == len(intent.words) and item.spread <= PHRASE


def _held(intent: Intent, item: Source) -> tuple[set[int], set[int]]:
    """Return the names that a source holds whole, and the telling words that it holds."""
    telling = {at for at in item.words if intent.words[at].rank == "telling"}
    return set(item.whole), telling
