"""Words of a question that name a time: `last Tuesday`, `in March`, `two weeks ago`, `since Monday`, `on 7 May 2023`.

English, and dates of ISO 8601. A date without its year, or a day of the week, is the last one that is not yet to
come. Weeks begin on Monday. What is not certain to be a time (`may`, `march`, a bare number) is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from unabridged.schema.ids import Micros

MICROS = 1_000_000
MOST = 4  # times told of one question
LONGEST = 2_000  # characters of a question that are read
ALWAYS = Micros(0)  # an open beginning or end
FIRST_YEAR, LAST_YEAR = 1970, 2199
MOST_COUNT = 500  # of units: `600 years ago` is no time of an archive

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORT_MONTHS = {name[:3]: number for number, name in enumerate(_MONTHS, 1)} | {"sept": 9}
_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_COUNTS = {name: number for number, name in enumerate(_NUMBERS)} | {
    "a": 1,
    "an": 1,
    "a couple of": 2,
    "a few": 3,
    "few": 3,
    "couple of": 2,
}
_UNITS = {"minute": 60, "hour": 3_600, "day": 86_400, "week": 7 * 86_400, "fortnight": 14 * 86_400}
_LONG = {"month": 1, "quarter": 3, "year": 12}  # in months

_MONTH = rf"(?P<month>{'|'.join(_MONTHS)}|{'|'.join(_SHORT_MONTHS)})\b\.?"
_DAY = rf"(?P<weekday>{'|'.join(_DAYS)})s?\b"
_NUMBER = rf"(?P<count>\d{{1,3}}|a couple of|a few|{'|'.join(_NUMBERS[1:])}|an?)"
_UNIT = rf"(?P<unit>{'|'.join((*_UNITS, *_LONG))})s?\b"
_YEAR = r"(?P<year>(?:19|20|21)\d\d)\b"
_DATE_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\b"


@dataclass(frozen=True, slots=True)
class Spoken:
    """A time as a question names it: characters `start` to `end`, and from `since` to before `until` (0: open)."""

    start: int
    end: int
    since: Micros
    until: Micros
    text: str = ""


@dataclass(frozen=True, slots=True)
class _Span:
    """A time as a calendar has it, in the user's zone."""

    since: datetime
    until: datetime


_Made = Callable[[re.Match[str], datetime], _Span | None]


def spoken(query: str, now: Micros, zone: tzinfo) -> list[Spoken]:
    """Return the times that a question names, in the order of its words, none inside another one."""
    text = _folded(query[:LONGEST])
    if not _HINT.search(text):
        return []
    here = datetime.fromtimestamp(now / MICROS, zone)
    found = list[Spoken]()
    for start, end, span in _joined(text, list(_named(text, here))):
        since = ALWAYS if span.since.year <= FIRST_YEAR else _micros(span.since)
        until = ALWAYS if span.until.year >= LAST_YEAR else _micros(span.until)
        found.append(Spoken(start, end, since, until, query[start:end]))
    return found[:MOST]


def without(query: str, times: list[Spoken]) -> str:
    """Return a question without the words that name times."""
    kept, at = "", 0
    for item in times:
        kept += query[at : item.start] + " "
        at = item.end
    return " ".join((kept + query[at:]).split())


def _folded(text: str) -> str:
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _named(text: str, now: datetime) -> Iterator[tuple[int, int, _Span]]:
    """Yield the places of times; of several readings of one place the one that stands first in the list."""
    taken = list[tuple[int, int]]()
    for pattern, make in _READINGS:
        for match in pattern.finditer(text):
            start, end = match.start(), match.end()
            if any(start < last and first < end for first, last in taken):
                continue
            try:
                span = make(match, now)
            except (ValueError, OverflowError):  # the 31st of June, a year that no calendar has
                continue
            if span is not None:
                taken.append((start, end))
                yield start, end, span


def _joined(text: str, found: list[tuple[int, int, _Span]]) -> Iterator[tuple[int, int, _Span]]:
    """Yield times with the words before them that open or close them: since, before, between … and …"""
    found.sort(key=lambda item: item[0])
    at = 0
    while at < len(found):
        start, end, span = found[at]
        before = _LEADING.search(text, 0, start)
        word = before["word"] if before is not None else ""
        begin = before.start() if before is not None else start
        if word in ("between", "from") and at + 1 < len(found):
            following = found[at + 1]
            if _AND.fullmatch(text, end, following[0]) and following[2].since >= span.since:
                yield begin, following[1], _Span(span.since, following[2].until)
                at += 2
                continue
        if word in ("since", "after"):
            since = span.until if word == "after" else span.since
            span = _Span(since, datetime(LAST_YEAR, 12, 31, tzinfo=span.since.tzinfo))
        elif word in ("before", "until", "till"):
            until = span.since if word == "before" else span.until
            span = _Span(datetime(FIRST_YEAR, 1, 1, tzinfo=span.since.tzinfo), until)
        yield begin, end, span
        at += 1


# --- readings -----------------------------------------------------------------------------------------------------


def _day(when: datetime, days: int = 1) -> _Span:
    start = when.replace(hour=0, minute=0, second=0, microsecond=0)
    return _Span(start, start + timedelta(days=days))


def _months(when: datetime, months: int, count: int = 1) -> _Span:
    """Return `count` whole months that begin `months` after that of `when`."""
    return _Span(_month_start(when, months), _month_start(when, months + count))


def _month_start(when: datetime, months: int) -> datetime:
    year, month = divmod(when.year * 12 + when.month - 1 + months, 12)
    return when.replace(year=year, month=month + 1, day=1, hour=0, minute=0, second=0, microsecond=0)


def _calendar_day(match: re.Match[str], now: datetime) -> _Span | None:
    month, day = _SHORT_MONTHS[match["month"][:3]], int(match["day"])
    given = match["year"]
    when = now.replace(year=int(given) if given else now.year, month=month, day=day)
    if not given and when > now:
        when = when.replace(year=when.year - 1)
    return _day(when)


def _iso(match: re.Match[str], now: datetime) -> _Span | None:
    return _day(now.replace(year=int(match[1]), month=int(match[2]), day=int(match[3])))


def _month(match: re.Match[str], now: datetime) -> _Span | None:
    month, given = _SHORT_MONTHS[match["month"][:3]], match["year"]
    first = now.replace(year=int(given) if given else now.year, month=month, day=1)
    if not given and first > now:
        first = first.replace(year=first.year - 1)
    return _months(first, 0)


def _last_month(match: re.Match[str], now: datetime) -> _Span | None:
    first = now.replace(month=_SHORT_MONTHS[match["month"][:3]], day=1)
    this = first.year == now.year and first.month == now.month
    if match["which"] == "last" and (first > now or this):
        first = first.replace(year=first.year - 1)
    return _months(first, 0)


def _year(match: re.Match[str], now: datetime) -> _Span | None:
    return _months(now.replace(year=int(match["year"]), month=1, day=1), 0, 12)


def _weekday(match: re.Match[str], now: datetime) -> _Span | None:
    back = (now.weekday() - _DAYS.index(str(match["weekday"]))) % 7
    if match["which"] in ("last", "past", "previous") and not back:
        back = 7
    return _day(now - timedelta(days=back))


def _near(match: re.Match[str], now: datetime) -> _Span | None:
    word = match[0]
    today = _day(now).since
    if word == "the day before yesterday":
        return _day(now - timedelta(days=2))
    if word.startswith("yesterday"):
        return _day(now - timedelta(days=1))
    if word == "last night":
        return _Span(today - timedelta(hours=6), today + timedelta(hours=6))
    if word == "tonight":
        return _Span(today + timedelta(hours=17), today + timedelta(hours=30))
    hours = {
        "this morning": (0, 12),
        "this afternoon": (12, 18),
        "this evening": (17, 24),
        "earlier today": (0, 24),
    }
    first, last = hours.get(word, (0, 24))
    return _Span(today + timedelta(hours=first), today + timedelta(hours=last))


def _period(match: re.Match[str], now: datetime) -> _Span | None:
    """Return this or the last calendar week, month, quarter, year; of a `past` one as many days up to now."""
    back = 0 if match["which"] == "this" else 1
    unit = match["unit"]
    if match["which"] == "past":
        return _Span(_before(now, 1, unit), now)
    if unit in ("week", "weekend"):
        monday = _day(now - timedelta(days=now.weekday() + 7 * back)).since
        if unit == "week":
            return _day(monday, 7)
        return _day(monday + timedelta(days=5), 2)
    length = _LONG[unit]
    into = (now.month - 1) % length
    return _months(now, -into - back * length, length)


def _recent(match: re.Match[str], now: datetime) -> _Span | None:
    return _Span(_before(now, _count(match), match["unit"]), now)


def _ago(match: re.Match[str], now: datetime) -> _Span | None:
    """Return what stands so far back, as exactly as the unit says it."""
    count, unit = _count(match), match["unit"]
    when = _before(now, count, unit)
    if unit == "day":
        return _day(when)
    if unit in _UNITS:
        half = timedelta(seconds=_UNITS[unit] / 2)
        return _Span(when - half, when + half) if unit in ("minute", "hour") else _days_around(when, half)
    return _months(when, 0) if unit != "year" else _months(when.replace(month=1, day=1), 0, 12)


def _days_around(when: datetime, half: timedelta) -> _Span:
    return _Span(_day(when - half).since, _day(when + half).until)


def _count(match: re.Match[str]) -> int:
    said = match["count"]
    count = int(said) if said.isdigit() else _COUNTS[said]
    if not 0 < count <= MOST_COUNT:
        raise ValueError(said)
    return count


def _before(now: datetime, count: int, unit: str) -> datetime:
    if unit in _UNITS:
        return now - timedelta(seconds=count * _UNITS[unit])
    first = _month_start(now, -count * _LONG[unit])
    last = (_month_start(first, 1) - timedelta(days=1)).day
    return _on_day(now, first, min(now.day, last))


def _on_day(now: datetime, first: datetime, day: int) -> datetime:
    """Return the moment of day of `now` on a day of the month that begins at `first`."""
    return now.replace(year=first.year, month=first.month, day=day)


_NEAR = (
    r"(?:the day before yesterday|yesterday(?:\s+(?:morning|afternoon|evening))?|earlier today|today|tonight"
    r"|last night|this (?:morning|afternoon|evening))"
)
_READINGS: tuple[tuple[re.Pattern[str], _Made], ...] = tuple(
    (re.compile(rf"(?<![\w./-]){pattern}(?![\w/-])"), make)
    for pattern, make in (
        (r"((?:19|20|21)\d\d)-(\d\d)-(\d\d)(?:t[\d:.]+z?)?", _iso),
        (rf"{_DATE_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?", _calendar_day),
        (rf"{_MONTH}\s+(?:the\s+)?{_DATE_DAY}(?:,?\s+{_YEAR})?", _calendar_day),
        (rf"{_MONTH},?\s+(?:of\s+)?{_YEAR}", _month),
        (rf"(?P<which>last|this)\s+{_MONTH}", _last_month),
        (rf"(?<=\bin ){_MONTH}(?P<year>)", _month),
        (rf"(?<=\bduring ){_MONTH}(?P<year>)", _month),
        (rf"(?<=\bsince ){_MONTH}(?P<year>)", _month),
        (rf"(?<=\bin ){_YEAR}", _year),
        (rf"(?<=\bduring ){_YEAR}", _year),
        (rf"(?<=\bsince ){_YEAR}", _year),
        (rf"(?P<which>last|past|previous|this)\s+{_DAY}", _weekday),
        *(
            (rf"(?<=\b{word} )(?P<which>){_DAY}", _weekday)
            for word in ("on", "since", "before", "after", "until", "by", "from", "to", "and", "between")
        ),
        (_NEAR, _near),
        (
            rf"(?:in|over|during|within|for)\s+(?:the\s+)?(?:last|past|previous)\s+{_NUMBER}\s+{_UNIT}",
            _recent,
        ),
        (
            rf"(?:last|past|previous)\s+(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS[2:])}|few|couple of)\s+{_UNIT}",
            _recent,
        ),
        (rf"{_NUMBER}\s+{_UNIT}\s+(?:ago|back|earlier)", _ago),
        (r"(?P<which>last|past|previous|this)\s+(?P<unit>week|weekend|month|quarter|year)", _period),
    )
)
_LEADING = re.compile(
    r"(?<!\w)(?P<word>since|before|until|till|after|from|between|on|in|at|during)\s+(?:the\s+)?$"
)
_AND = re.compile(r"\s+(?:and|to|until|till|through)\s+(?:the\s+)?|\s*(?:-|\u2013)\s*")
_HINT = re.compile(
    rf"\d|{'|'.join(_DAYS)}|{'|'.join(_SHORT_MONTHS)}|today|yesterday|tonight|ago\b|last|past|previous|this|earlier|back\b"
)


def _micros(when: datetime) -> Micros:
    return Micros(max(1, int(when.timestamp() * MICROS)))
