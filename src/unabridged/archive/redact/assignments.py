"""Finds secrets by the names that they are assigned to."""

from __future__ import annotations

import functools
import re

import msgspec
import re2

from unabridged.archive.redact import examples, names, objects, places, values
from unabridged.archive.redact.names import NameClass
from unabridged.archive.redact.pattern import capturing, finder
from unabridged.archive.redact.rule import MARK, Rule, Span
from unabridged.archive.redact.seen import Seen
from unabridged.archive.redact.tokens import basic_credentials
from unabridged.archive.redact.words import Word, first_line, read, skip_spaces

CONTEXT = 48  # bytes before a name in which a vendor may be named ("the Datadog API key is …")
QUICK = 256  # bytes behind a candidate in which its name and the sign behind it end
MARKED = 16  # bytes behind a name within which a placeholder begins that stands in place of its value
MAX_GAP = 32  # bytes between name and value up to which their form is remembered
MAX_HEADER = 16_384  # bytes of a header's line; servers refuse longer ones
MIN_LISTED = 20  # bytes of a value that nothing but its place in a list joins to a header's name
MIN_PROSE = 20  # bytes of a random value that needs neither `=` nor `:` behind its name

# Written for `re`, with possessive repeats: no way back, so linear. `_for_re2` makes plain repeats of them.
_QUOTE = r"(?:\\*+(?:[\"'`]|u00(?:22|27)|u001b\[[0-9;]*+[mK])|[\])}*]|\x1b\[[0-9;]*+[mK])*+"
_BLANK = r"(?:[ \t]|\\++t)"
_ANY_BLANK = r"(?:[ \t\r\n]|\\++[nrt])"
_MARGIN = r"(?:[+-]|[0-9]++(?:\t|\xe2\x86\x92))"  # what diffs and tools that print files put before a line
_SEPARATOR = r"(?::-|:=|=>|={1,3}|:|\\*+u003[dDaA]|%3[dD])"
# How a value can follow its name; the first that fits counts. `_form` tells them apart by what was matched.
_FORMS = (
    rf"{_QUOTE}{_BLANK}*+{_SEPARATOR}",  # password = …
    rf"{_QUOTE},?(?:{_ANY_BLANK}|{_MARGIN})*+{_QUOTE}value{_QUOTE}{_BLANK}*+[=:]",  # name: PASSWORD, value: …
    rf"{_QUOTE}{_BLANK}*+\{{(?:{_ANY_BLANK}|{_MARGIN})*+default{_BLANK}*+=",  # variable "password" {{ default = …
    rf"</key>(?:{_ANY_BLANK}|{_MARGIN})*+<string>",  # <key>Password</key> <string>…
    rf"\\*+[\"'`]{_ANY_BLANK}*+,{_ANY_BLANK}*+\\*+[\"'`]",  # setenv("PASSWORD", "…")
    rf"{_QUOTE}(?:{_BLANK}*+(?:\|\||\?\?)|{_BLANK}++or\b){_BLANK}*+\\*+[\"'`]",  # env.PASSWORD || "…"
    rf"\({_BLANK}*+\\*+[\"'`]",  # setPassword("…")
    rf"{_QUOTE}>[^\s<]",  # <password>…
    rf"{_BLANK}++(?:string|String|str|\[\]byte|text){_BLANK}*+:?=",  # var password string = …
    rf"{_BLANK}++(?:is|was|to)(?:{_BLANK}*+:)?{_BLANK}++",  # the password is …
)
_LOUD_NAME = r"[A-Z0-9_]{0,60}(?:TOKEN|SECRET|PASSWORD|PASSWD|KEY)[A-Z0-9_]{0,20}"
_RANDOM_WORD = rf"(?:{_BLANK}++is)?(?:{_BLANK}|[:\"'`\\])+(?:[A-Za-z+/_.=-]*[0-9]){{2}}"


def _for_re2(pattern: str) -> str:
    return pattern.replace("*+", "*").replace("++", "+")


SCREEN = "|".join(
    (
        rf"(?i:{names.SCREENED}{names.SUFFIX}(?:{_for_re2('|'.join((*_FORMS, _RANDOM_WORD)))}))",
        rf"(?i:pass(?:word|wd|phrase)?{_for_re2(_BLANK)}+[^\s\"'`,;:()<>{{}}0-9\\]+[0-9])",
        rf"(?i:pass(?:word|wd|phrase)?{_for_re2(_BLANK)}+\\*[\"'`][^\"'`\\0-9]{{2,40}}[0-9])",
        rf"(?i:--[a-z0-9-]*{names.SCREENED}{names.SUFFIX}[ \t]+[^\s<$-])",
        rf"(?:ENV|ARG|setx|set -[a-zA-Z]+)[ \t]+{_LOUD_NAME}[ \t]+[^\s=]",
        rf"(?i:{names.SCREENED}s\\*[\"'][ \t]*:[ \t]*\[)",
    )
)
"""Where an assignment may stand, in text or in JSON's escaped form of it."""

_ASSIGNED = re.compile(
    rf"(?i)({names.SCREENED}{names.SUFFIX})(?:{'|'.join(_FORMS)}|{_BLANK}++)".encode("latin-1")
)
_KEYWORD = re.compile(rf"(?i){names.SCREENED}".encode())
_OPTION = (b"--", b"ENV", b"ARG", b"set")
_TYPED = re.compile(
    rb"[ \t]*(?:Optional\[)?&?(?:'static )?(?:str|string|String|bytes|Final|SecretStr|char\*?)(?:\[str\])?\]?"
    rb"(?: *\| *None)?[ \t]*=[ \t]*"
)
_TYPED_LITERAL = re.compile(_TYPED.pattern + rb"[bBrRuUfF]?\\*[\"']")
_SECOND = re.compile(rb"\\*[\"'] *, *(?=\\*[\"'])")  # between the values of `user, password = 'a', 'b'`
_FIRST = re.compile(rb"(?:[ \t>+#|-]|[0-9]+(?:\t|\xe2\x86\x92|:))*[A-Za-z_][A-Za-z0-9_.]{0,60} *, *\Z")
_TEMPLATE = re.compile(rb"<%=[^%\r\n\"]{0,80}?(?:\|\||,) *(?=\\*[\"'])")
_BLOCK_SCALAR = re.compile(rb" *[|>][-+]?[ \t]*(?:\r?\n|\\r?\\n|\\n)[ \t]+")
_NO_NAME = (b"redacted:", b"::")  # the kind in a placeholder; a type in C++, Rust, CloudFormation
_PHRASE = re.compile(rb"[a-z]{3,12}(?: [a-z]{3,12}){2,11}(?=\Z|[\r\n]|\\+[nr]|\\*[\"\x27`])")
# An expression without digits, in a line of code.
_CODE = re.compile(rb"(?: |\\t)*+(?:%[a-z]|[A-Za-z_$&*!(][A-Za-z_$.(){}&*!?:<>-]{0,60}+)(?![A-Za-z0-9_/+])")
_NAME = re.compile(rb"(?: |\\t)*+[A-Za-z_][A-Za-z_.]{0,60}+(?![A-Za-z0-9_/+])")
_PREFIXED = re.compile(
    rb"(?: |\\t)*+[bBrRuUfF@$&]{1,2}\\*+[\"'`]"
)  # a literal, for all that a letter begins it
_CODE_ENDS = (
    b"\\n",
    b"\\r",
    b"\n",
    b"\r",
    b"\t",
    b" ",
    b",",
    b";",
    b")",
    b"(",
    b"{",
    b'"',
    b'\\"',
    b"\\t",
    b"[",
    b"'",
    b"`",
    b"|",
)
HEADER = re.compile(
    rb"(?i)(?:proxy-)?authorization|(?:set-)?cookie|x?-?[a-z0-9]+-[a-z0-9-]*(?:key|token|secret)"
)
_PAIR_ENDS = re.compile(rb"\\*+[\"'](?:[ \t\r\n]|\\+[nrt])*+\]")
_CONTAINER = re.compile(rb"(?:[ \t\r\n]|\\+[nrt])*+[\[{](?=(?:[ \t\r\n]|\\+[nrt])*+(?:\\*+[\"']|[{\[]))")
_HEADERS = frozenset(("cookie", "authorization"))
_QUOTES = (b'"', b"'", b"`", b'\\"')
_REST_OF_LINE = re.compile(rb"[^\r\n\"'`\\]+")
_SCHEME = re.compile(
    rb"(?i)(bearer|basic|token|apikey|api-key|key|digest|ssws|splunk|bot|oauth|negotiate|ntlm|hmac|zoho-oauthtoken|jwt)"
    rb"(?:[ \t]|%20|\\*u0020)+"
)
_COOKIE = capturing(r"([A-Za-z0-9_.$%*-]+)=\"?([^;\s\"'\\,]{8,})")
_ATTRIBUTES = frozenset(
    b"path domain expires max-age samesite version comment secure httponly priority".split()
)


class Place(msgspec.Struct, frozen=True):
    """Where a value stands: the name, its class, the text around it, how the value was written."""

    name: bytes
    found: NameClass
    context: bytes
    quoted: bool
    literal: bool


class _Named(msgspec.Struct, frozen=True):
    """A name in text, and where its value begins."""

    text: bytes
    start: int
    name: bytes
    found: NameClass
    gap: bytes
    at: int


class Assignments:
    """Judges values by the names that they are assigned to."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        """Take the rules for values."""
        self._rules = tuple(
            (rule, tuple(word.encode() for word in rule.keywords), capturing(rule.pattern)) for rule in rules
        )

        # Whether any vendor is named at all: nearly always none is.
        self._vendor = finder("|".join(re2.escape(word) for rule in rules for word in rule.keywords))

    def find(self, text: bytes, at: int, seen: Seen) -> tuple[list[Span], bool]:
        """Find secrets assigned at the candidate `at`; also tell whether a value ran into the text's end."""
        named = _named_at(text, at)
        if named is None:
            return [], False
        start, name, found = named.start, named.name, named.found
        form = _form(named.gap)
        if form in _WEAK_FORMS and (found == "auth" or names.is_weak(name)):
            return [], False
        if found not in _HEADERS and (_is_marked(text, named.at) or _is_code(named, form, len(text))):
            return [], False
        opened = _opens_container(named) if form == "assign" else -1
        if opened >= 0:
            spans, short = objects.held(text, opened, (name, found), self.named)
            if spans or short:
                return spans, short
        word, literal = _FORM_READERS[form](named)
        if word is None:
            return [], False
        body = text[word.start : word.end]
        if not body or (word.interpolated and b"{" in body):
            return [], word.short
        if found == "cookie":
            # The rest of the line holds all of them, however often their header's name stands there.
            if seen.is_read("cookie", word.start):
                return [], word.short
            # Where the line is longer than any header, the last of them may be in part behind what was read.
            seen.read("cookie", word.end if len(body) < MAX_HEADER else word.start + max(0, body.rfind(b";")))
        context = text[max(0, start - CONTEXT) : start] + name
        if text.startswith(b"...", word.end):
            return [], False  # cut short by whoever wrote it
        if found == "password" and places.is_user_again(text, word.start, word.end):
            return [], False
        place = Place(name, found, context.lower(), word.quoted, literal)
        spans = self.value(place, body)
        if not spans and word.quoted and b"\n" in body:
            # Perhaps the quote that was found does not belong to the one before the value.
            spans = self.value(place, first_line(body))
        return [Span(word.start + s.start, word.start + s.end, s.rule, s.kind) for s in spans], word.short

    @staticmethod
    def rules_out(data: bytes, at: int, high: int) -> bool:
        """Tell cheaply, in a JSON string's raw content, that nothing is assigned at a candidate: most often code is."""
        match = _ASSIGNED.match(data, at, min(high, at + QUICK))
        if match is None:
            return False
        start = places.name_start(data, at)
        name = data[start : match.end(1)]
        found = names.classify(name)
        if not found:
            return True
        gap = data[match.end(1) : match.end()]
        form = _form(gap)
        if form in _WEAK_FORMS and (found == "auth" or names.is_weak(name)):
            return True
        if found in _HEADERS:
            return False  # more may follow a placeholder
        if _is_marked(data, match.end()):
            return True
        return _is_code(_Named(data, start, name, found, gap, match.end()), form, high)

    def named(self, name: bytes, found: NameClass, body: bytes) -> list[Span]:
        """Judge a quoted value by its name alone; the spans are places in it."""
        return self.value(Place(name, found, name.lower(), quoted=True, literal=False), body)

    def value(self, place: Place, body: bytes) -> list[Span]:
        """Judge one value; the spans are places in it."""
        if place.found == "cookie":
            return _cookies(body)
        if place.found == "authorization":
            return _authorization(body)
        if place.found == "auth":
            held = basic_credentials(body) or (len(body) >= 16 and place.quoted and _is_opaque(body))
            return [Span(0, len(body), "assigned-auth", "basic-auth")] if held else []
        if body.lower() == place.name.lower() or (
            place.found == "password" and len(body) > values.MAX_PASSWORD
        ):
            return []
        rule = self._known(place, body)
        if rule is not None:
            return [Span(0, len(body), rule.name, rule.kind)]
        if not _held(place, body):
            return []
        return [Span(0, len(body), f"assigned-{place.found}", names.kind_of(place.name, place.found))]

    def _known(self, place: Place, body: bytes) -> Rule | None:
        """Return the vendor's rule that knows the value."""
        if self._vendor(place.context, 0, len(place.context)) < 0:
            return None
        if b" " in body or not (values.is_random(body) or values.is_uuid(body)):
            return None
        if examples.is_placeholder(body) or examples.is_masked(body):
            return None
        for rule, keywords, pattern in self._rules:
            if any(word in place.context for word in keywords) and pattern.fullmatch(body):
                return rule
        return None


def _is_marked(text: bytes, at: int) -> bool:
    """Tell whether a placeholder stands where a value begins."""
    return MARK in text[at : at + MARKED + len(MARK)] and text[at : at + MARKED].lstrip(
        b" \\\"'`"
    ).startswith(MARK)


def _named_at(text: bytes, at: int) -> _Named | None:
    """Return the name of a secret at the candidate `at`, None where it is none."""
    match = _ASSIGNED.match(text, at)
    if match is None:
        if not text.startswith(_OPTION, at):
            return None
        place = _KEYWORD.search(text, at, min(len(text), at + names.MAX_NAME))
        match = place and _ASSIGNED.match(text, place.start())
        if match is None:
            return None
        at = match.start()
    behind = match.end(1)
    start = places.name_start(text, at)
    name = text[start:behind]
    found = names.classify(name)
    if not found or text.endswith(_NO_NAME, 0, start):
        return None
    end = match.end()
    return _Named(text, start, name, found, text[behind:end], end)


# --- forms -------------------------------------------------------------------------------------------------------


def _form(gap: bytes) -> str:
    """Tell which of `_FORMS` matched `gap`."""
    return _short_form(gap) if len(gap) <= MAX_GAP else _read_form(gap)


def _read_form(gap: bytes) -> str:
    last = gap[-1:]
    if not gap.strip(b" \t\\t"):
        return "space"
    if last in b"=:" and (b"value" in gap.lower() or b"default" in gap):
        return "pair"
    if last == b">" and gap.startswith(b"</"):
        return "plist"
    if last in b"\"'`":
        if gap.startswith(b"("):
            return "call"
        return "list" if b"," in gap else "default"
    if gap[-2:-1] == b">":
        return "xml"
    if last == b"=" and gap[:1].isspace() and gap.strip()[:1] in b"sSt[":
        return "typed"
    return "prose" if last in b" \tt" else "assign"


_short_form = functools.lru_cache(names.CACHED)(_read_form)


def _assign(named: _Named) -> tuple[Word | None, bool]:
    text, gap, at = named.text, named.gap, named.at
    colon = gap.endswith(b":")
    if colon and text.startswith(b":", at):
        return None, False  # a path in C++ or Rust
    if colon and text.endswith((b":", b"/"), 0, named.start) and _in_address(named):
        return None, False
    if gap.startswith(b"]"):
        return None, False  # an index: `row[pw] = …`
    typed = _TYPED.match(text, at, at + 40) if colon else None
    if typed is not None:
        word = read(text, typed.end())
        return (word, False) if word.quoted else (None, False)
    spaced = text[at : at + 1] in (b" ", b"\t") or gap[:1] in (b" ", b"\t") or gap[-2:-1] == b" "
    scalar = _BLOCK_SCALAR.match(text, at, at + 40) if colon else None
    at = scalar.end() if scalar is not None else skip_spaces(text, at)
    if named.found in _HEADERS and not text.startswith(_QUOTES, at):
        line = _REST_OF_LINE.match(text, at, at + MAX_HEADER)
        return (
            (Word(at, line.end(), short=line.end() == len(text)), False)
            if line is not None
            else (None, False)
        )
    if colon and named.name.lower().endswith(b"passphrase"):
        phrase = _PHRASE.match(text, at)
        if phrase is not None and not values.is_prose(phrase.group()):
            return Word(at, phrase.end()), True
    if colon and gap == b":" and places.closes_quote(text, named.start, at):
        return None, False
    template = _TEMPLATE.match(text, at, at + QUICK) if colon else None
    if template is not None:
        at = template.end()
    style, literal = places.style(text, named.start, named.name, gap, spaced)
    word = read(text, at, style)
    if word.quoted:
        return (_second(named, word) if spaced and not colon else word), literal
    if text.startswith(b"->", word.end - 1):
        return None, False
    if colon and _is_header(named, word):
        return Word(word.start, word.end, quoted=True), literal
    literal = literal or named.name.startswith(b"ansible_")
    if named.found == "password" and not word.quoted and not literal and colon:
        literal = places.is_plain_line(text, named.start, word)
    return word, literal


def _is_code(named: _Named, form: str, high: int) -> bool:
    """Tell cheaply that what stands for a value is an expression of code."""
    if form not in ("assign", "prose", "space") or named.name.startswith(b"-"):
        return False
    text, at = named.text, named.at
    if _PREFIXED.match(text, at, high) is not None:
        return False
    code = (_NAME if named.found == "password" else _CODE).match(text, at, high)
    if code is None or not (text.startswith(_CODE_ENDS, code.end()) or code.end() == high):
        return False
    if form == "assign":
        colon = named.gap.endswith(b":")
        colon = colon and (named.found == "password" or _TYPED_LITERAL.match(text, at) is not None)
        if colon or places.style(text, named.start, named.name, named.gap, spaced=False)[1]:
            return False
    return code.end() - at < values.LONG_RANDOM or not values.is_random(code.group().strip())


def _opens_container(named: _Named) -> int:
    """Return where a list or an object opens that is the value; -1 where none does."""
    opened = _CONTAINER.match(named.text, named.at)
    return opened.end() - 1 if opened is not None else -1


def _in_address(named: _Named) -> bool:
    """Tell whether a name stands in an ARN, or before the `@` of a URL: rules of their own know those."""
    if b"arn:" in places.line_before(named.text, named.start):
        return True
    word = read(named.text, named.at, "literal")
    return named.text.endswith(b"/", 0, named.start) and b"@" in named.text[word.start : word.end]


def _second(named: _Named, word: Word) -> Word:
    """Return the second value of `user, password = 'a', 'b'`, the only one elsewhere."""
    if _FIRST.match(places.line_before(named.text, named.start)) is None:
        return word
    between = _SECOND.match(named.text, word.end)
    return read(named.text, between.end()) if between is not None else word


def _is_header(named: _Named, word: Word) -> bool:
    """Tell whether name and value stand within quotes together: `"PRIVATE-TOKEN: …"`."""
    if named.found not in ("token", "secret", "key"):
        return False
    quote = named.text[named.start - 1 : named.start]
    return quote in (b'"', b"'") and named.text[word.end : word.end + 8].lstrip(b"\\")[:1] == quote


def _pair(named: _Named) -> tuple[Word | None, bool]:
    return read(named.text, skip_spaces(named.text, named.at), "literal"), True


def _list(named: _Named) -> tuple[Word | None, bool]:
    if named.name.startswith(b"-"):
        word = _default(named)[0]  # an option's value, in a list of arguments
        option = word is not None and named.text.startswith(b"-", word.start)
        return (None, False) if option else (word, False)
    # Lists of field names look the same: only an argument counts, and of those only what has the look of a secret.
    opened = named.text[max(0, named.start - 12) : named.start].rstrip(b"\\\"'` ")
    if opened.endswith(b"("):
        return _call(named)
    if HEADER.fullmatch(named.name) is not None:
        word = _default(named)[0]
        listed = word is not None and is_listed_value(named.text[word.start : word.end])
        return (word, False) if listed else (None, False)
    if not opened.endswith(b"["):
        return None, False
    # A list of two, as programs keep headers.
    word, literal = _call(named)
    if word is None or word.open_end or _PAIR_ENDS.match(named.text, word.end) is None:
        return (word, literal) if word is not None and word.open_end else (None, False)
    return word, literal


def _call(named: _Named) -> tuple[Word | None, bool]:
    word = _default(named)[0]
    if word is None:
        return None, False
    body = named.text[word.start : word.end]
    if named.found == "password":
        fits = values.is_bare_password(body, literal=False) and values.has_letter_and_digit(body)
        fits = fits and b" " not in body
    else:
        fits = values.is_random(body)
    return (word, False) if fits or word.open_end else (None, False)


def _default(named: _Named) -> tuple[Word | None, bool]:
    quote = len(named.gap) - len(named.gap[:-1].rstrip(b"\\"))
    return read(named.text, named.at - quote), False


def _plist(named: _Named) -> tuple[Word | None, bool]:
    end = named.text.find(b"<", named.at, named.at + values.MAX_VALUE)
    if end < 0 and len(named.text) < named.at + values.MAX_VALUE:
        return Word(named.at, named.at, short=True), False
    return (Word(named.at, end, quoted=True), False) if end > named.at else (None, False)


def _xml(named: _Named) -> tuple[Word | None, bool]:
    at = named.at - 1
    end = named.text.find(b"<", at, at + values.MAX_VALUE)
    if end < 0 and len(named.text) < at + values.MAX_VALUE:
        return Word(at, at, short=True), False
    body = named.text[at:end]
    if end < 0 or b" " in body or not values.is_bare_password(body, literal=False):
        return None, False
    return Word(at, end), False


def _typed(named: _Named) -> tuple[Word | None, bool]:
    word = read(named.text, skip_spaces(named.text, named.at))
    return (word, False) if word.quoted else (None, False)


def _prose(named: _Named) -> tuple[Word | None, bool]:
    word = read(named.text, named.at, "literal")
    body = named.text[word.start : word.end]
    if word.quoted or word.open_end:
        return word, False
    if named.found == "password":
        strong = values.is_bare_password(body, literal=False) and values.has_letter_and_digit(body)
    else:
        strong = values.is_random(body)
    return (word, False) if strong else (None, False)


def _space(named: _Named) -> tuple[Word | None, bool]:
    text, start = named.text, named.start
    word = read(text, named.at, "literal")
    body = text[word.start : word.end]
    if named.name.startswith(b"-"):
        return (None, False) if body.startswith(b"-") else (word, False)
    if text.endswith(b"/", 0, start) or values.is_code_number(body):
        return None, False
    if places.is_dockerfile(text, start):
        return word, True
    if word.open_end:
        return word, False
    if named.found == "password":
        fits = (
            values.is_bare_password(body, literal=False)
            and values.has_letter_and_digit(body)
            and len(body) >= 6
        )
        return (word, False) if fits else (None, False)
    fits = len(body) >= MIN_PROSE and not body.startswith(b"/") and values.is_random(body)
    return (word, False) if fits else (None, False)


def is_listed_value(body: bytes) -> bool:
    """Tell whether what follows a header's name in a list is more than another name."""
    return len(body) >= MIN_LISTED or body.find(b"=") > 0


# Too little to make a value of what stands behind `pass` or `auth`.
_WEAK_FORMS = frozenset(("list", "call", "default", "prose", "space", "typed"))
_FORM_READERS = {
    "assign": _assign,
    "pair": _pair,
    "list": _list,
    "call": _call,
    "default": _default,
    "plist": _plist,
    "xml": _xml,
    "typed": _typed,
    "prose": _prose,
    "space": _space,
}


# --- verdicts ----------------------------------------------------------------------------------------------------


def _is_opaque(body: bytes) -> bool:
    return b" " not in body and values.is_random(body) and not examples.is_placeholder(body)


def _held(place: Place, body: bytes) -> bool:
    """Tell whether a value that no vendor's rule knows is a secret."""
    if place.found == "password":
        if body.isalpha() and body.lower().endswith(b"pass"):
            return False
        if place.quoted:
            return values.is_quoted_password(body)
        return values.is_bare_password(body, literal=place.literal)
    if values.is_uuid(body):
        if examples.is_placeholder(body):
            return False
        return place.found in ("secret", "key") or names.ENVIRONMENT_NAME.match(place.name) is not None
    return values.is_secret(body, literal=place.literal, quoted=place.quoted)


def _authorization(body: bytes) -> list[Span]:
    """Judge what stands in an Authorization header, or an option of that name."""
    match = _SCHEME.match(body)
    if match is None and (b" " in body or values.is_call(body) or not values.is_random(body)):
        return []
    word = read(body, match.end() if match is not None else 0, "literal")
    secret = body[word.start : word.end]
    if not secret or examples.is_placeholder(secret) or examples.is_masked(secret):
        return []
    if match is not None and match.group(1).lower() == b"basic":
        return (
            [Span(word.start, word.end, "authorization-header", "basic-auth")]
            if basic_credentials(secret)
            else []
        )
    if not values.is_secret(secret, literal=True, quoted=True):
        return []
    return [Span(word.start, word.end, "authorization-header", "authorization")]


def _cookies(body: bytes) -> list[Span]:
    """Judge the values in a Cookie or Set-Cookie header."""
    spans: list[Span] = []
    for match in _COOKIE.finditer(body):
        value = match.group(2)
        if (
            match.group(1).lower() in _ATTRIBUTES
            or not values.is_random(value)
            or examples.is_placeholder(value)
        ):
            continue
        spans.append(Span(match.start(2), match.end(2), "cookie-header", "cookie"))
    return spans
