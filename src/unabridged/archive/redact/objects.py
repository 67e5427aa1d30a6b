"""Secrets that a neighbour in their object tells: a name, a JSON web key's type, what makes a cookie or a manifest."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator

from unabridged.archive.redact import examples, jsontext, mappings, names, values
from unabridged.archive.redact.members import Member, Walk
from unabridged.archive.redact.names import NameClass
from unabridged.archive.redact.rule import MARK, Span
from unabridged.archive.redact.seen import MAX_NAMES, Seen

LOOK_AROUND = 2_048  # bytes on both sides of a member in which the others of its object stand
MANIFEST_AROUND = 8_192  # bytes likewise of a manifest's kind
MAX_DEPTH = 3  # objects that wrap a value, as in `{"api_key": {"value": {"stringValue": "…"}}}`

Judge = Callable[[bytes, NameClass, bytes], list[Span]]
"""Judges a quoted value by its name and the name's class."""

# Keys whose value is a name, and keys whose value that name names. Written for RE2 and `re`; lower case, folded.
_OF = "(?:parameter|secret|env|header|field|variable|attribute|setting|option|property|config|cookie)?[-_]?"
NAMING = (
    rf"(?:{_OF}(?:name|key|id|label)|k|header|field|variable|var|env|title|param|parameter|option|attribute|setting"
    r"|property|purpose|type|element|selector|locator|placeholder)"
)
# With what one of these can begin: a quick look.
NAMING_BEGINS = tuple(
    b"name key id label k\" k' k: k= header field variable var env title param attribute setting option property "
    b"purpose type element selector locator placeholder secret config cookie k\\ _ -".decode().split()
)
NAMING_KEY = re.compile(rf"(?i)(?:{NAMING})(?:\\*+[\"'])?[ \t]*[:=]".encode())
SECRETIVE = (
    rf"(?:\\*[\"'][A-Za-z0-9_.$#*=>:/()\[ -]*{names.SCREENED}{names.SUFFIX}(?:[ \])#.*=>:][^\"'\\\r\n]*)?\\*[\"']"
    rf"|[A-Za-z0-9_.-]*{names.SCREENED}{names.SUFFIX}[ \t]*(?:[\r\n,}}]|\\+[nr]))"
)
"""A value that is the name of a secret, or says on a page what a field takes."""
_NAMED = re.compile(
    rf"{_OF}(?:value|val|data)|v|s|current|raw|plain(?:text)?|(?:secret|string)_?(?:string|value)".encode()
)
_LOOSELY_NAMED = frozenset((b"text", b"content", b"default", b"body", b"input", b"result"))
_PAGE = frozenset((b"element", b"selector", b"locator", b"placeholder", b"label", b"title"))
_SAYS_PASSWORD = re.compile(rb"(?i)(?<![a-z])pass(?:word|phrase|code)(?![a-z])")
_NO_FIELD = re.compile(
    rb"(?i)forgot|reset|show|hide|toggle|invalid|change|strength|min|max|length|policy|link|button"
)


def pairs(text: bytes, at: int, judge: Judge, seen: Seen) -> tuple[list[Span], bool]:
    """Find the value that the name behind the key at `at` names: before it, behind it, or some members away.

    Also tells whether more of the text could tell more.
    """
    low, high = max(0, at - LOOK_AROUND), min(len(text), at + LOOK_AROUND)
    read = seen.object_at(text, at, (low, high))
    if read is None or not read.members:
        # No quotes around keys; or XML in a string, where a quote stands before the first attribute.
        plain = mappings.pairs_around(text, at, low, high) if read is None else mappings.tag(text, at)
        members = [Member(key, begin, start, end, b'"') for key, begin, start, end in plain]
        short = False
    else:
        members = read.members
        short = read.walk.short and high == len(text)
        read.names += 1
    here = next((member for member in members if member.key_start == at), None)
    if here is None or here.opens != b'"' or (read is not None and read.names > MAX_NAMES):
        return [], short
    name = text[here.start : here.end]
    found = _class_of(here.key, name)
    spans: list[Span] = []
    for member in members if found else ():
        if member is not here:
            walk = read.walk if read is not None else None
            spans += _value(text, walk, member, (name, found), judge)
    return spans, short


def _class_of(key: bytes, name: bytes) -> NameClass:
    """Tell what a name, as the value of a naming key, names."""
    if len(name) > 2 * names.MAX_NAME:
        return ""
    found = "" if b" " in name and key.lower() in _PAGE else names.classify(name)
    if found:
        return "" if found == "auth" else found
    if _SAYS_PASSWORD.search(name) is not None and _NO_FIELD.search(name) is None:
        return "password"
    return ""


def _value(
    text: bytes,
    walk: Walk | None,
    member: Member,
    name: tuple[bytes, NameClass],
    judge: Judge,
    depth: int = 0,
) -> Iterator[Span]:
    """Judge a member whose key says that it holds what its object is named for."""
    key = member.key.lower()
    loosely = key in _LOOSELY_NAMED
    if not loosely and _NAMED.fullmatch(key) is None:
        return
    if member.opens == b'"':
        yield from _judged(text, member, name, judge)
    elif member.opens and walk is not None and depth < MAX_DEPTH and not loosely:
        yield from _inside(text, walk, member, name, judge, depth + 1)


def _inside(
    text: bytes, walk: Walk, member: Member, name: tuple[bytes, NameClass], judge: Judge, depth: int
) -> Iterator[Span]:
    """Judge the strings of a list, or the values that an object wraps, by the name of the whole."""
    walk = walk.again()
    if member.opens == b"[":
        for item in walk.items(member.start + 1):
            if item.opens == b'"':
                yield from _judged(text, item, name, judge)
        return
    for inner in walk.members(walk.skip(member.start + 1)):
        yield from _value(text, walk, inner, name, judge, depth)


def held(text: bytes, at: int, name: tuple[bytes, NameClass], judge: Judge) -> tuple[list[Span], bool]:
    """Find the secrets in the list or object that opens at `at` and is the value of a name."""
    high = min(len(text), at + LOOK_AROUND)
    first = _QUOTE.search(text, at, high)
    if first is None:
        return [], high == len(text)
    walk = Walk(text, (at, high), first.group(2), len(first.group(1)))
    opened = Member(b"", at, at, high, text[at : at + 1])
    return list(_inside(text, walk, opened, name, judge, 0)), walk.short and high == len(text)


_QUOTE = re.compile(rb"(\\*)([\"'])")


def _judged(text: bytes, member: Member, name: tuple[bytes, NameClass], judge: Judge) -> Iterator[Span]:
    """Judge a string that stands at some distance of its name, so with more doubt than an assignment's."""
    body = text[member.start : member.end]
    if not body or MARK in body or len(body) > values.MAX_VALUE:
        return
    plain = jsontext.decode(body)
    if name[1] == "password" and not (
        values.is_bare_password(plain, literal=False) and b" " not in plain and not values.is_call(plain)
    ):
        return
    spans = judge(name[0], name[1], plain)
    if not spans:
        return
    if plain is body or plain == body:
        moved = [(span.start, span.end) for span in spans]
    else:
        places = sorted({place for span in spans for place in (span.start, span.end)})
        raw = dict(zip(places, jsontext.raw_places(body, places), strict=True))
        moved = [(raw[span.start], raw[span.end]) for span in spans]
    for span, (start, end) in zip(spans, moved, strict=True):
        yield Span(member.start + start, member.start + end, span.rule, span.kind)


# --- manifests, cookies, arguments -------------------------------------------------------------------------------


def manifest(text: bytes, at: int, seen: Seen) -> list[Span]:
    """Find the values of the Kubernetes Secret, an object of JSON whose kind stands at `at`."""
    read = seen.object_at(text, at, (max(0, at - MANIFEST_AROUND), min(len(text), at + MANIFEST_AROUND)))
    if read is None or not any(m.key == b"kind" and text[m.start : m.end] == b"Secret" for m in read.members):
        return []
    spans: list[Span] = []
    for member in read.members:
        if member.opens != b"{" or member.key not in (b"data", b"stringData"):
            continue
        walk = read.walk.again()
        for inner in walk.members(walk.skip(member.start + 1)):
            body = text[inner.start : inner.end]
            if inner.opens == b'"' and len(body) >= values.MIN_PASSWORD and not examples.is_placeholder(body):
                spans.append(Span(inner.start, inner.end, "kubernetes-secret", "kubernetes-secret"))
    return spans


def arguments(text: bytes, at: int, seen: Seen) -> tuple[list[Member], bool]:
    """Return the strings of the list of arguments from the command on whose content begins at `at`."""
    walk = Walk.at_key(text, at, (max(0, at - LOOK_AROUND), min(len(text), at + LOOK_AROUND)))
    if walk is None or seen.is_read("argv", at):
        return [], False
    found = list(itertools.takewhile(lambda item: item.opens == b'"', walk.items(at - walk.width)))
    if found:
        seen.read("argv", found[-1].end)
    return found, walk.short and walk.high == len(text)


def cookie(text: bytes, at: int, seen: Seen) -> tuple[list[Span], bool]:
    """Find the value of the cookie of which an attribute (`httpOnly`) stands at `at`, or of all behind `cookies:`."""
    low, high = max(0, at - LOOK_AROUND), min(len(text), at + LOOK_AROUND)
    read = seen.object_at(text, at, (low, high))
    here = next((m for m in read.members if m.key_start == at), None) if read is not None else None
    if read is None or here is None:
        return [], read is not None and read.walk.short and high == len(text)
    if here.key.lower() == b"cookies":
        found = list(_jar(read.walk.again(), here))
    else:
        found = [m for m in read.members if m.key.lower() == b"value"] if read.names < MAX_NAMES else []
        read.names += 1
    spans = [
        Span(member.start, member.end, "cookie-object", "cookie")
        for member in found
        if member.opens == b'"' and _is_cookie(text[member.start : member.end])
    ]
    return spans, read.walk.short and high == len(text)


def _jar(walk: Walk, cookies: Member) -> Iterator[Member]:
    if cookies.opens == b"[":
        for item in walk.items(cookies.start + 1):
            if item.opens == b"{":
                inner = walk.members(walk.skip(item.start + 1))
                yield from (member for member in inner if member.key.lower() == b"value")
    elif cookies.opens == b"{":
        yield from walk.members(walk.skip(cookies.start + 1))


def _is_cookie(body: bytes) -> bool:
    return values.is_random(body) and not examples.is_placeholder(body) and MARK not in body
