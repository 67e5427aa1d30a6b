"""Secrets that a neighbour in their object tells: a name, a JSON web key's type, what makes a cookie or a manifest."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator

from unabridged.archive.redact import examples, jsontext, names, values
from unabridged.archive.redact.members import Member, Walk
from unabridged.archive.redact.names import NameClass
from unabridged.archive.redact.rule import MARK, Span

LOOK_AROUND = 2_048  # bytes on both sides of a member in which the others of its object stand
JWK_AROUND = 8_192  # bytes likewise of a JSON web key: of an RSA key of 8,192 bits with all its members
MAX_LINES = 8  # lines of a YAML mapping on either side of its name
MAX_DEPTH = 3  # objects that wrap a value, as in `{"api_key": {"value": {"stringValue": "…"}}}`

Judge = Callable[[bytes, NameClass, bytes], list[Span]]
"""Judges a quoted value by its name and the name's class."""

# Keys whose value is a name, and keys whose value that name names. Written for RE2 and `re`; lower case, folded.
_OF = "(?:parameter|secret|env|header|field|variable|attribute|setting|option|property|config|cookie)?[-_]?"
NAMING = (
    rf"(?:{_OF}(?:name|key|id|label)|k|header|field|variable|var|env|title|param|parameter|option|attribute|setting"
    r"|property|purpose|type|element|selector|locator|placeholder)"
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

_JWK_TYPE = re.compile(rb"kty(?:\\*[\"'])?[ \t]*:[ \t]*(?:\\*[\"'])?(RSA|EC|OKP|oct|AKP)\b")
_JWK_MEMBER = re.compile(
    rb"(?<![A-Za-z0-9_-])(d|p|q|dp|dq|qi|k|r|t|priv)(?:\\*[\"'])?(?:[ \t\r\n]|\\+[nrt])*:(?:[ \t\r\n]|\\+[nrt])*"
    rb"(?:\\*[\"'])?([A-Za-z0-9_-]{20,})(?![A-Za-z0-9_-])"
)
_BLANK_LINE = re.compile(rb"\n[ \t]*\r?\n|\\n[ \t]*(?:\\r)?\\n|\n---|\\n---")
_XML = re.compile(rb"([A-Za-z_:.-]+)[ ]*=[ ]*\\*([\"'])([^\"'<>\\]*)\\*\2")
_EOL = re.compile(rb"\r?\n|(?:\\+r)?\\+n")
_YAML = re.compile(
    rb"(?:[+]|[ \t]*[0-9]+(?:\t|\xe2\x86\x92|:))?([ \t]*)(- +)?[\"']?([A-Za-z0-9_.-]+)[\"']?:[ \t]+([\"']?)([^\r\n]*)"
)
_PLAIN_KEY = re.compile(rb"([A-Za-z_]+) *: *(\\*[\"'`])([^\"'`\\{}]*)\2")


def pairs(text: bytes, at: int, judge: Judge) -> tuple[list[Span], bool]:
    """Find the value that the name behind the key at `at` names: before it, behind it, or some members away.

    Also tells whether more of the text could tell more.
    """
    low, high = max(0, at - LOOK_AROUND), min(len(text), at + LOOK_AROUND)
    walk = Walk.at_key(text, at, (low, high))
    if walk is None:
        return _plain_pairs(text, at, (low, high), judge), False
    key_end = walk.string_end(at)
    colon = walk.skip(key_end + walk.width)
    if key_end < 0 or text[colon : colon + 1] != b":":
        return _attributes(text, at, judge), False
    after = walk.members(at - walk.width)
    if not after or after[0].opens != b'"':
        return [], walk.short
    here = after[0]
    found = _class_of(here.key, text[here.start : here.end])
    if not found:
        return [], False
    spans: list[Span] = []
    for member in (*walk.members_before(at - walk.width), *after[1:]):
        spans += _value(text, walk, member, (text[here.start : here.end], found), judge)
    return spans, walk.short and high == len(text)


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
    text: bytes, walk: Walk, member: Member, name: tuple[bytes, NameClass], judge: Judge, depth: int = 0
) -> Iterator[Span]:
    """Judge a member whose key says that it holds what its object is named for."""
    key = member.key.lower()
    loosely = key in _LOOSELY_NAMED
    if not loosely and _NAMED.fullmatch(key) is None:
        return
    if member.opens == b'"':
        yield from _judged(text, member, name, judge)
    elif member.opens and depth < MAX_DEPTH and not loosely:
        yield from _inside(text, walk, member, name, judge, depth + 1)


def _inside(
    text: bytes, walk: Walk, member: Member, name: tuple[bytes, NameClass], judge: Judge, depth: int
) -> Iterator[Span]:
    """Judge the strings of a list, or the values that an object wraps, by the name of the whole."""
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


# --- JSON web keys ------------------------------------------------------------------------------------------------


def web_key(text: bytes, at: int, _judge: Judge) -> tuple[list[Span], bool]:
    """Find the private members of the JSON web key whose type stands at `at`."""
    kind = _JWK_TYPE.match(text, at)
    if kind is None:
        return [], False
    low, high = max(0, at - JWK_AROUND), min(len(text), at + JWK_AROUND)
    opened, shut = text.rfind(b"{", low, at), text.find(b"}", at, high)
    start, end = (opened if opened >= 0 else low), (shut if shut >= 0 else high)
    if opened < 0 or shut < 0:
        # As YAML: a block without an empty line.
        for edge in _BLANK_LINE.finditer(text, start, at):
            start = edge.end()
        edge = _BLANK_LINE.search(text, at, end)
        end = edge.start() if edge is not None else end
    symmetric = kind.group(1) == b"oct"
    spans = [
        Span(match.start(2), match.end(2), "json-web-key-object", "private-key")
        for match in _JWK_MEMBER.finditer(text, start, end)
        if (match.group(1) == b"k") == symmetric and not examples.is_masked(match.group(2))
    ]
    return spans, shut < 0 and high == len(text)


def manifest(text: bytes, at: int) -> list[Span]:
    """Find the values of the Kubernetes Secret, an object of JSON whose kind stands at `at`."""
    low, high = max(0, at - JWK_AROUND), min(len(text), at + JWK_AROUND)
    walk = Walk.at_key(text, at, (low, high))
    after = walk.members(at - walk.width) if walk is not None else []
    if (
        walk is None
        or not after
        or (after[0].key, text[after[0].start : after[0].end]) != (b"kind", b"Secret")
    ):
        return []
    spans: list[Span] = []
    for member in (*walk.members_before(at - walk.width), *after):
        if member.opens != b"{" or member.key not in (b"data", b"stringData"):
            continue
        for inner in walk.members(walk.skip(member.start + 1)):
            body = text[inner.start : inner.end]
            if inner.opens == b'"' and len(body) >= values.MIN_PASSWORD and not examples.is_placeholder(body):
                spans.append(Span(inner.start, inner.end, "kubernetes-secret", "kubernetes-secret"))
    return spans


def arguments(text: bytes, at: int) -> tuple[list[Member], bool]:
    """Return the strings of the list of arguments from the command on whose content begins at `at`."""
    walk = Walk.at_key(text, at, (max(0, at - LOOK_AROUND), min(len(text), at + LOOK_AROUND)))
    if walk is None:
        return [], False
    items = walk.items(at - walk.width)
    return list(itertools.takewhile(lambda item: item.opens == b'"', items)), walk.short and walk.high == len(
        text
    )


# --- cookies ------------------------------------------------------------------------------------------------------


def cookie(text: bytes, at: int, _judge: Judge) -> tuple[list[Span], bool]:
    """Find the value of the cookie of which an attribute (`httpOnly`) stands at `at`, or of all behind `cookies:`."""
    low, high = max(0, at - LOOK_AROUND), min(len(text), at + LOOK_AROUND)
    walk = Walk.at_key(text, at, (low, high))
    if walk is None:
        return [], False
    after = walk.members(at - walk.width)
    if not after:
        return [], walk.short and high == len(text)
    if after[0].key.lower() == b"cookies":
        found = list(_jar(walk, after[0]))
    else:
        found = [m for m in (*walk.members_before(at - walk.width), *after) if m.key.lower() == b"value"]
    spans = [
        Span(member.start, member.end, "cookie-object", "cookie")
        for member in found
        if member.opens == b'"' and _is_cookie(text[member.start : member.end])
    ]
    return spans, walk.short and high == len(text)


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


# --- without quotes around keys -----------------------------------------------------------------------------------


def _attributes(text: bytes, at: int, judge: Judge) -> list[Span]:
    """Judge `value="…"` of the tag in which `name="…"` stands at `at`."""
    opened = text.rfind(b"<", max(0, at - 512), at)
    shut = text.find(b">", at, at + 512)
    if opened < 0 or shut < 0:
        return []
    return _by_name(text, _XML.finditer(text, opened, shut), at, judge)


def _by_name(text: bytes, found: Iterator[re.Match[bytes]], at: int, judge: Judge) -> list[Span]:
    """Judge the values among matches of (key, quote, value) by the name that stands at `at`."""
    matches = list(found)
    name = next((match for match in matches if match.start(1) == at), None)
    named = _class_of(name.group(1), name.group(3)) if name is not None else ""
    if name is None or not named:
        return []
    spans: list[Span] = []
    for match in matches:
        if match is not name and _NAMED.fullmatch(match.group(1).lower()):
            member = Member(b"", 0, match.start(3), match.end(3), b'"')
            spans += _judged(text, member, (name.group(3), named), judge)
    return spans


def _plain_pairs(text: bytes, at: int, bounds: tuple[int, int], judge: Judge) -> list[Span]:
    """Judge the neighbours of a name whose key has no quotes: in a tag, braces, or lines of YAML."""
    spans = _attributes(text, at, judge)
    if spans:
        return spans
    opened, shut = text.rfind(b"{", bounds[0], at), text.find(b"}", at, bounds[1])
    if opened >= 0 and 0 <= shut <= opened + 512:
        return _by_name(text, _PLAIN_KEY.finditer(text, opened, shut), at, judge)
    return _yaml_pairs(text, at, bounds, judge)


def _yaml_pairs(text: bytes, at: int, bounds: tuple[int, int], judge: Judge) -> list[Span]:
    lines = list(_yaml_lines(text, at, bounds))
    here = next((match for match in lines if match.start(3) == at), None)
    if here is None:
        return []
    name = here.group(5).strip(b" \t\"'")
    found = _class_of(here.group(3), name)
    if not found:
        return []
    spans: list[Span] = []
    for match in lines:
        if match is here or _NAMED.fullmatch(match.group(3).lower()) is None:
            continue
        body = match.group(5)
        end = body.find(match.group(4)) if match.group(4) else len(body.rstrip())
        if not match.group(4):
            body = body[:end]
            comment = body.find(b" #")
            end = len(body[:comment].rstrip()) if comment >= 0 else end
        if end > 0:
            member = Member(b"", 0, match.start(5), match.start(5) + end, b'"')
            spans += _judged(text, member, (name, found), judge)
    return spans


def _yaml_lines(text: bytes, at: int, bounds: tuple[int, int]) -> Iterator[re.Match[bytes]]:
    """Yield the lines of the mapping in which the key at `at` stands, its own among them."""
    low, high = bounds
    before = [match.span() for match in _EOL.finditer(text, low, at)][-MAX_LINES - 1 :]
    after = [match.span() for match in itertools.islice(_EOL.finditer(text, at, high), MAX_LINES)]
    ends = [*before, *after, (high, high)]
    lines = [(start, stop) for (_, start), (stop, _) in itertools.pairwise([(low, low), *ends])]
    own = len(before)
    here = _YAML.match(text, *lines[own])
    if here is None or here.start(3) != at:
        return
    column = _column(here)
    yield here
    first = here
    for place in reversed(lines[:own]):
        line = _YAML.match(text, *place)
        if first.group(2) or line is None or _column(line) != column:
            break
        first = line
        yield line
    for place in lines[own + 1 :]:
        line = _YAML.match(text, *place)
        if line is None or line.group(2) or _column(line) != column:
            break
        yield line


def _column(line: re.Match[bytes]) -> int:
    return len(line.group(1)) + len(line.group(2) or b"")
