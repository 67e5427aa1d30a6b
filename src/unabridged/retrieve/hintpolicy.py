"""What to tell of a message's sources: nothing, a marker, or an excerpt. Pure: sources in, a verdict out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from unabridged.retrieve.hintintent import ERROR_CODE, SEVERAL, Intent
from unabridged.retrieve.hintturns import Source

NOTHING, MARKER, EXCERPT = "nothing", "marker", "excerpt"

ENOUGH = 0.6  # share of a message's weight that a source of several telling words holds at least
ENOUGH_WANTED = 0.5  # the same, where it is of the sort that was asked for and no other source comes near
ENOUGH_IMPLICIT = 0.65  # the same, where history was not asked for
ENOUGH_PAIRED = 0.4  # the same, where two telling words stand side by side in both
ENOUGH_BESIDE = 0.56  # the same, where the message has other telling words, too
ENOUGH_SEVERAL, LEAST_OWN = (
    0.5,
    0.3,
)  # the same, where a conversation holds several of its words; of one turn of it
ENOUGH_NAMED = 0.35  # the same, where it holds the names
WANTED = 0.15  # what being of the sort that was asked for counts beside the share
BESIDE = 0.25  # by which a source's share is below the best one's at most, so that it may contradict it
TIGHT = 0.05  # what it counts that the words stand in one phrase
CLOSE = 30  # characters between common words that together name one thing
PHRASE = 80  # characters of one
APART = 0.12  # by which the best source's share is ahead of one that is clearly behind
AHEAD = 0.2  # by which its score is, relatively, where the shares are as good as equal
MUCH = 0.6  # share of what the best turn of a conversation holds that another one has, to be told of in its place
FEW = 0.25  # the same, of one that says what helped
WANTED_HERE = 0.25  # what being of the sort that was asked for counts between turns of one conversation
EXPOSED = 4  # sources that one hint lets rest

Test = Callable[[Source], bool]
Rests = Callable[[Source, bool], bool]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to tell. `best`: of which source; `rest`: which sources it lets rest; `words`: which words they hold."""

    outcome: str
    reason: str
    best: Source | None = None
    rest: tuple[Source, ...] = ()
    words: frozenset[int] = frozenset()


def judge(
    intent: Intent, found: Sequence[Source], is_stale: Test, rests: Rests, is_corrected: Test
) -> Verdict:
    """Return what to tell of sources, which stand in the order of their share.

    is_stale: it is too old. rests: it was told of a short time ago (with True: quoted). is_corrected: what follows it
    takes it back, which is asked of one source at most.
    """
    found = [item for item in found if not item.bare]
    strong = _strong(intent, found)
    if not strong:
        return Verdict(NOTHING, "weak-evidence", found[0] if found else None)
    fresh = [item for item in strong if not is_stale(item)]
    if not fresh or (fresh[0] is not strong[0] and _is_behind(fresh[0], strong[0])):
        return Verdict(NOTHING, "stale-source", strong[0])
    if intent.kind == "implicit":
        return _of_matter(fresh, rests)
    near = _near(fresh, [item for item in found if item.reverses and not is_stale(item)])
    newest = max(near, key=lambda item: (item.time, item.event.seq))
    replaced = len(near) > 1 and _takes_back(newest, found)
    head, current = newest if replaced else near[0], [item for item in found if not is_stale(item)]
    best = _told_of(intent, head, current)
    words = frozenset(best.words | best.lent)
    reason = "ambiguous" if len(near) > 1 and not replaced else "conflict" if is_corrected(best) else ""
    if rests(best, not reason):
        return Verdict(NOTHING, "repeated-source", best)
    if reason:
        return Verdict(MARKER, reason, best, (best, *near[1:])[:EXPOSED], words)
    return Verdict(EXCERPT, "asked" if intent.reason == "asked" else "named", best, (best,), words)


def _strong(intent: Intent, found: Sequence[Source]) -> list[Source]:
    """Return the sources that are about a message, the best first."""
    if intent.kind == "implicit":  # a matter is known by its phrase
        strong = [item for item in found if is_strong_for_implicit(intent, item)]
        return sorted(strong, key=lambda item: (-_weight(item), item.spread, -item.score, item.key))
    strong = [item for item in found if is_strong_for_asked(intent, item)]
    if not strong:  # other words for some of it, where nothing else comes near
        strong = [
            item
            for item in found
            if item.wanted
            and item.share >= ENOUGH_WANTED
            and all(other is item or other.share <= item.share - BESIDE for other in found)
        ]
    strong.sort(key=lambda item: (-_weight(item), -item.score, item.key))
    best = strong[0] if strong else None
    if best is not None and _is_one_word(best):
        held = [item for item in found if item.session != best.session and best.words & item.words]
        others = {item.session for item in held}
        return [] if len(others) > (1 if intent.wants == "decision" else 0) else strong
    return strong


def _of_matter(fresh: Sequence[Source], rests: Rests) -> Verdict:
    """Return what to tell of a matter that is not asked of."""
    best = fresh[0]
    as_good = [item for item in fresh[:EXPOSED] if item.share > best.share - APART]
    if any(rests(item, False) for item in as_good):
        return Verdict(NOTHING, "repeated-source", best)
    return Verdict(MARKER, "recurring-matter", best, (best,), frozenset(best.words))


def _near(fresh: Sequence[Source], reversing: Sequence[Source]) -> list[Source]:
    """Return the best source of each conversation that comes near the best one of all, which is the first.

    One that takes something back counts where it is newer, even if it holds somewhat less.
    """
    best, found = fresh[0], dict[tuple[bytes, bytes], Source]()
    newer = [item for item in reversing if item.time > best.time and item.share > best.share - BESIDE]
    for item in (*fresh, *newer):
        if item is best or not _is_behind(item, best) or item in newer:
            found.setdefault(item.session, item)
    return list(found.values())


def _takes_back(newest: Source, found: Sequence[Source]) -> bool:
    """Tell whether the newest of several conversations takes back what the others say."""
    return any(
        item.reverses and item.words & newest.words for item in found if item.session == newest.session
    )


def _told_of(intent: Intent, head: Source, found: Sequence[Source]) -> Source:
    """Return the turn of a conversation to tell of: of those that hold much of a message, the one that answers it.

    What was settled last is what holds; a reason, a repair and a fact stand where most of the words do.
    """
    mine = [item for item in found if item.session == head.session and item.own >= MUCH * head.own]
    wanted = [item for item in mine if item.wanted]
    if (
        wanted and intent.wants == "decision"
    ):  # what was settled last holds, if it is as much about the matter
        most = max(map(_own_weight, mine))
        near = [item for item in wanted if _own_weight(item) > most - APART]
        return max(near or mine, key=lambda item: item.event.seq if near else _own_weight(item))
    if intent.wants == "repair":  # what was tried holds the words, what helped often few of them
        behind = [
            item
            for item in found
            if item.session == head.session
            and item.event.seq >= head.event.seq
            and item.own >= FEW * head.own
            and item.helped
        ]
        if behind:
            return max(behind, key=lambda item: (item.own + item.helped, -item.event.seq))
    return max(mine, key=lambda item: (len(item.named), _own_weight(item), item.event.seq), default=head)


def _own_weight(item: Source) -> float:
    return item.own + (WANTED_HERE if item.wanted else 0.0) + (TIGHT if item.spread <= PHRASE else 0.0)


def _is_one_word(item: Source) -> bool:
    """Tell whether a source is known by one word alone: that says something only where no other source has it."""
    return len(item.words) == 1 and not item.whole and not item.wanted


def _weight(item: Source) -> float:
    return (
        item.share
        + (WANTED if item.wanted or item.joined else 0.0)
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
    if item.own >= ENOUGH_IMPLICIT and item.together:
        return True
    if intent.question:
        return False
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
