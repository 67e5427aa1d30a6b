"""Words that say the same thing in talk about programs: who asks again seldom uses the words of the answer.

A relative is looked for by what its forms begin with, and counts less than the word itself.
"""

from __future__ import annotations

from functools import lru_cache

from unabridged.index.analysis.inflections import inflections

SHORT = 4  # letters; a word of fewer has shorter endings

# Groups of relatives in their base form.
_RELATIVES = """
accept approve allow | accuracy precision | alert alarm warning notify notification warn page | amount sum |
article product | backup snapshot | ban forbid prohibit disallow | battery power | boot startup start-up |
bucket s3 | bug defect | build compile | button control | cache caching | certificate cert certs | chart
graph plot | choose pick select opt | cleanup purge prune | cluster fleet | colleague teammate | colour
color | compress gzip zip | container pod docker | corrupt corruption garbage rubbish damaged | cpu
processor core | crash die kill abort segfault | credential password secret | cure fix remedy solve |
dashboard panel | database db postgres sql | dead die kill | deadline due | decode decoding | decrease
reduce lower shrink shorten cut | delay wait pause | deploy deployment rollout release | discount rebate |
download fetch | drain drainage | drift deviate | duplicate dedupe deduplicate | duplicate twice double |
duplicate twice double doubling | employee staff | encode encoding | encrypt encryption cipher | error fault
| expire expiry lapse | filter narrow | firewall filter | firmware flash | flaky unreliable flakiness |
folder directory | font typeface | format layout form | frequency often interval | gap hole missing |
garbage rubbish | gray grey | hang freeze stall stuck deadlock block | hash hashing digest | height level |
increase raise enlarge bump grow | index indexes indices | invoice bill billing | keep retain retention
store preserve | keyboard keys | language locale | leak leakage | license licence | lifetime ttl validity
live | limit cap ceiling maximum quota | lock locking mutex | log logging | login signin sign-in logon |
mail email e-mail | memory ram oom | message msg | metric measurement | migration migrate move | name call |
night nightly overnight | node machine host | noise hum | offline disconnected | overflow overrun | owner
maintainer | parallel concurrent concurrency simultaneous | parse parser | payment payout | picture image
photo | plugin extension addon | price cost money | proxy gateway | queue backlog | random jitter | refresh
update redraw reload | refund reimbursement | reject refuse decline deny | release ship | remove delete drop
purge prune erase wipe | replace swap substitute exchange | reset reboot restart | response reply answer |
restart reboot | retry reattempt | rollback revert | schedule cron nightly | schema structure | sensor probe
| session sitting | shortcut hotkey | shutdown stop | signature sign | slow sluggish lag laggy slowness
slowdown | sort order | sound audio | subscription plan | supersede override replace | supplier vendor
provider | sync synchronise synchronize synchronization | tag label | temperature heat | theme skin | thread
goroutine | threshold limit | thumbnail preview | timeout deadline | title heading | token jwt | translate
translation localize localization | trial demo | upload send | user customer client | video clip | warehouse
depot | weight mass | worker process
"""


def _groups() -> dict[str, tuple[str, ...]]:
    found = dict[str, set[str]]()
    for group in _RELATIVES.split("|"):
        words = group.split()
        for word in words:
            found.setdefault(word, set()).update(other for other in words if other != word)
    return {word: tuple(sorted(others)) for word, others in found.items()}


_GROUPS = _groups()


@lru_cache(maxsize=1_024)
def kin_of(word: str) -> tuple[tuple[str, int], ...]:
    """Return what the forms of a word's relatives begin with, and how many letters may follow; all in small letters."""
    base = word if word in _GROUPS else next((one for one in inflections(word) if one in _GROUPS), "")
    return tuple(
        (other[:-1] if other[-1] in "ey" and len(other) > SHORT else other, 2 if len(other) < SHORT else 4)
        for other in _GROUPS.get(base, ())
    )
