"""Values that could be secrets, told from words, code, ids."""

from __future__ import annotations

import re

from unabridged.archive.redact.examples import is_masked, is_placeholder
from unabridged.archive.redact.pattern import searching

MIN_RANDOM = 8  # bytes; shorter values are not called random
MIN_PASSWORD = 4  # bytes; what a quoted password must have
LONG_RANDOM = 20  # bytes from which mixed case alone, without any digit, is random enough
MAX_LETTERS = 256  # bytes beyond which chance would have put in a digit
LONG_LITERAL = (
    12  # bytes from which any word in an environment file is taken for the secret that its name says
)
MAX_PASSWORD = 512  # bytes; longer ones are text
MAX_PIECES = 24  # words of a value that are looked at to tell whether it is made of words
MAX_VALUE = 4_096  # bytes of one value; longer ones are documents, not secrets

# `re` is used here for single classes on single values, where its calls cost a tenth of RE2's; no pattern backtracks.
_LETTER = re.compile(rb"[A-Za-z]")
_DIGIT = re.compile(rb"[0-9]")
_SYMBOL = re.compile(rb"[^A-Za-z0-9_., ]")
_LETTERS = re.compile(rb"[A-Za-z]+\Z")
_TITLE = re.compile(rb"[A-Z][a-z]+\Z")
_REFERENCE = re.compile(rb"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z")
_IDENTIFIER = re.compile(rb"[A-Za-z_$][A-Za-z0-9_$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][A-Za-z0-9_$]*)*[;,]?\Z")
_CALL = re.compile(rb"[*&]?[A-Za-z_$][A-Za-z0-9_$.:>-]*[(\[]|[(\[!]|&[a-z]|(?:new|await|async|not|typeof) ")
_UUID = re.compile(rb"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")
_DATE = re.compile(
    rb"[0-9]{4}-[0-9]{2}-[0-9]{2}|v?[0-9]+\.[0-9]+(?:\.[0-9x]+)*(?:[-+][A-Za-z0-9.]+)?\Z|\^|~[0-9]|[0-9]+(?:ms|[smhdkKMG]B?)\Z"
)
_ADDRESS = re.compile(rb"0x[0-9a-fA-F]{1,40}\Z")
_CODE_NUMBER = re.compile(rb"0x[0-9a-fA-F]{1,8}\Z|[0-9]{1,5}/[a-z]+\Z")
_INTEGRITY = re.compile(rb"(?:sha(?:1|224|256|384|512)|md5|blake[23][bs]?|h1|xxh[0-9]+|crc32)[-:=_]|W/|etag")
_WORDS_ONLY = re.compile(rb"[A-Za-z]+(?:[-_. ]+[A-Za-z]+)*[.!?:*]*\Z")
_WORDLIKE = re.compile(
    rb"(?:[a-z]+|[A-Z]+|[A-Z]?[a-z]+(?:[A-Z][a-z]+)*|[0-9]{1,5}|v[0-9]+|[A-Za-z]+[0-9]{1,4}|[0-9]{1,3}[a-z]{1,6})\Z"
)
_CHANGES = re.compile(rb"[a-z][A-Z]|[A-Z][a-z]")
_PREFIXED = re.compile(rb"(?:base64|hex|b64):")
_SEPARATORS = bytes.maketrans(b"-_./:+=~|,@#", b" " * 12)

_TYPE = searching(
    r"(?i)^\??&?\*?(?:str|string|text|bytes?|bytearray|char|varchar|int(?:eger)?|number|float|double|bool(?:ean)?|object"
    r"|any|none|null|nil|void|undefined|unknown|never|optional|required|option|true|false|yes|no|on|off|list|dict|map"
    r"|array|vec|uuid|date|time|datetime|json|blob|binary|enum|union|self|this|u?int[0-9]{1,3}|[uif](?:8|16|32|64|128)"
    r"|bytes[0-9]{1,2}|utf-?8|sha-?(?:1|256|384|512)|md5|base64|hex|ascii|secretstr|secret_?string)"
    r"(?:\[[^\]]*\]?|<[^>]*>?|\([^)]*\)?)?[?!]?$"
)
_PHRASE = searching(
    r"(?i)\b(?:password|passwd|passphrase|token|secret|key|credentials?|your|please|enter|must|should|invalid|incorrect"
    r"|required|the|is|are|not|for|with|reset|forgot|confirm|new|current|at least|characters|login|sign)\b"
)
_PATH = searching(
    r"^(?:(?:\.{0,2}|~)(?:\\*/|\\*u002[fF])|[A-Za-z]:\\|file:|https?:|wss?:|ssh:|git@|s3:|gs:|arn:|urn:|projects/|data:)"
    r"|\.(?:json|ya?ml|toml|pem|key|crt|cer|txt|env|py|js|ts|tsx|jsx|go|rs|rb|java|md|sh|sql|html?|css|lock|log)$"
)
_SECRET_WORD = searching(r"(?i)passw|passwd|secret|token|apikey|api[-_]key|credential")
# Letters and digits that programs write together; what is left without them decides whether digits are random.
_NAME_BEFORE_DIGITS = (
    "(?:sha|md|utf|base|aes|rsa|u?int|float|es|hs|rs|ps|oauth|http|ipv|x|pkcs|ed|p|h|v|s|ec|ecma|level|step|part"
    "|argon|pbkdf|bcrypt|scrypt|phase|log|area|line|page|issue|ticket|case|rule|example|sample|demo|python|java|php"
    "|user|test|id|key|token|secret|password|pass|app|api|db|node|host|server|port|web|win|gpt|claude|k)-?[0-9]{1,5}"
)
_ALGORITHMS = re.compile(b"(?i)" + _NAME_BEFORE_DIGITS.encode())
_NO_OWN_DIGIT = searching(rf"(?i)^(?:[^0-9]*{_NAME_BEFORE_DIGITS})*[^0-9]*$")
_ALNUM_WORD = 16  # bytes; no word, type, or path of letters and digits alone is longer
WORDS = frozenset(
    b"password passwd passphrase passcode pwd pass passwords secret secrets token tokens key keys apikey api_key "
    b"api-key credential credentials bearer basic digest auth authorization login username user email admin root "
    b"test testing tests default value values input field hidden label form type name id ok fail failed failure "
    b"success error invalid incorrect wrong missing empty blank expired required optional mandatory reset change "
    b"changed update updated refresh refreshed rotate rotated revoked valid verified encrypted hashed hash plain "
    b"plaintext unknown undefined none null nil true false enabled disabled public private internal local remote "
    b"env environment file path url stdin stdout prompt keychain keyring vault config settings auto automatic manual "
    b"here there is are was and or not the your with from for must should can will abc abcd qwerty data body text "
    b"random generated redacted masked postgres mysql guest demo swagger session cookie csrf string str include omit "
    b"same-origin strict lax low medium high weak strong protected sensitive".split()
)


def has_letter_and_digit(value: bytes) -> bool:
    """Tell whether a value holds at least one letter and one digit."""
    return _LETTER.search(value) is not None and _DIGIT.search(value) is not None


def is_uuid(value: bytes) -> bool:
    """Tell whether a value is a UUID: an id unless its name says otherwise."""
    return len(value) == 36 and _UUID.match(value) is not None


def is_identifier_path(value: bytes) -> bool:
    """Tell whether a value reads like `config.password` or `user->token`."""
    return (b"." in value or b"->" in value or b"::" in value) and _IDENTIFIER.match(value) is not None


def is_call(value: bytes) -> bool:
    """Tell whether a value reads like a call or an index: `load(path)`, `parts[1]`."""
    return _CALL.match(value) is not None


def is_code_number(value: bytes) -> bool:
    """Tell whether a value is a short hexadecimal number or a port: `0x0B96`, `464/tcp`."""
    return _CODE_NUMBER.match(value) is not None


def is_prose(value: bytes) -> bool:
    """Tell whether several words speak about a secret, or to a reader, and are none themselves."""
    return _PHRASE.search(value) is not None


def is_random(value: bytes) -> bool:
    """Tell whether a value looks drawn at random, not written by a person or a program's author."""
    prefix = _PREFIXED.match(value)
    if prefix is not None:
        value = value[prefix.end() :]
    size = len(value)
    if size < MIN_RANDOM or size > MAX_VALUE or _LETTER.search(value) is None:
        return False
    if _DIGIT.search(value) is None:
        return _mixed_case(value)
    pieces = value.translate(_SEPARATORS).split(maxsplit=MAX_PIECES)[:MAX_PIECES]
    if all(map(_WORDLIKE.match, pieces)):
        return False
    if b"a-z" in value or b"0-9" in value:  # a regular expression
        return False
    if len(set(value)) < 5 or _DATE.match(value) or _INTEGRITY.match(value) or _ADDRESS.match(value):
        return False
    return _has_own_digit(value)


def _has_own_digit(value: bytes) -> bool:
    """Tell whether a digit stands in no name such as `sha256`."""
    return _NO_OWN_DIGIT.search(value) is None


def _mixed_case(value: bytes) -> bool:
    """Letters only: random when the case changes far more often than in any camelCase name."""
    if not LONG_RANDOM <= len(value) <= MAX_LETTERS or b" " in value:
        return False
    return sum(1 for _ in _CHANGES.finditer(value)) * 3 >= len(value)


def _is_word(value: bytes) -> bool:
    """Tell whether a value is a word, a type, a path, or names an environment variable."""
    if len(value) > _ALNUM_WORD and value.isalnum():
        return False
    if value.lower() in WORDS or _REFERENCE.match(value) is not None:
        return True
    return _TYPE.search(value) is not None or _PATH.search(value) is not None


def is_quoted_password(value: bytes) -> bool:
    """Tell whether a quoted literal, assigned to a password, is one."""
    if not MIN_PASSWORD <= len(value) <= MAX_PASSWORD or _is_word(value) or is_placeholder(value):
        return False
    if b"\n" in value or (b" " in value and is_prose(value)):
        return False
    if _WORDS_ONLY.match(value) and (_TITLE.match(value) or _SECRET_WORD.search(value)):
        return False
    if value[:1] in b"#.[" and _SECRET_WORD.search(value):
        return False
    return value[-1:] not in b")];" or _CALL.match(value) is None


def is_bare_password(value: bytes, *, literal: bool) -> bool:
    """Tell whether an unquoted word, assigned to a password, is one.

    `literal`: the place takes literal text (an environment file, a URL, a connection string), not an expression.
    """
    if len(value) > MAX_PASSWORD:
        return False
    digits = _DIGIT.search(value) is not None
    if not literal and not digits and (_SYMBOL.search(value) is None or _WORDS_ONLY.match(value)):
        return False
    if _CALL.match(value) or _DATE.match(value) or not is_quoted_password(value):
        return False
    if literal:
        return True
    if _LETTER.search(value) is None:
        return digits and len(value) >= 6
    if _IDENTIFIER.match(value):
        return _has_own_digit(value)
    return digits or len(value) >= 6


def is_secret(value: bytes, *, literal: bool, quoted: bool) -> bool:
    """Tell whether a value, assigned to a secret, token or key, is one."""
    if len(value) > MAX_VALUE or b" " in value:
        return False
    random = is_random(value)
    if not random and not literal:
        return False
    if (not quoted and _CALL.match(value)) or _is_word(value) or is_placeholder(value) or is_masked(value):
        return False
    if not quoted and is_identifier_path(value) and not random_part(value):
        return False
    if random:
        return quoted or literal or not _named_like_code(value)
    # An environment file gives literal values: what is long, or has a digit, and is no word is meant.
    return len(value) >= LONG_LITERAL or (
        len(value) >= 6 and has_letter_and_digit(_ALGORITHMS.sub(b"", value))
    )


def random_part(path: bytes) -> bool:
    """Tell whether a part of a path of identifiers, which a token with dots looks like, is random."""
    return any(
        len(part) > LONG_LITERAL and _DIGIT.search(part) and is_random(part) for part in path.split(b".")
    )


def _named_like_code(value: bytes) -> bool:
    """Tell whether a bare word may be an identifier: `token: CancellationToken2`, `key = node.attrs2`."""
    if not _IDENTIFIER.match(value):
        return False
    digits = sum(1 for _ in _DIGIT.finditer(value))
    return (digits <= 2 and len(value) < 32) or (b"." in value and digits <= 4)
