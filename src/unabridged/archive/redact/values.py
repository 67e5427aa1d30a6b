"""Values that could be secrets, told from placeholders, words, code."""

from __future__ import annotations

from unabridged.archive.redact.pattern import capturing, searching

MIN_RANDOM = 8  # bytes; shorter values are not called random
MIN_PASSWORD = 4  # bytes; what a quoted password must have
LONG_RANDOM = 20  # bytes from which mixed case alone, without any digit, is random enough
MAX_VALUE = 4_096  # bytes of one value; longer ones are documents, not secrets

# --- what stands for a secret without being one --------------------------------------------------------------------

_PLACEHOLDER = searching(
    r"(?i)\[redacted|redacted\]|^redacted$|^\[?(?:hidden|masked|filtered|removed|secret|omitted|scrubbed)\]?$"
    r"|^<[^>]*>|<[a-z][a-z0-9 _-]*>|^\$|\$\{|\{\{|\$\(|%\(|^%[a-z_]+%$|^%[sdv]$|^\{[^\"':,]*\}$|^:[a-z_]+$|^@[a-z_.]+$"
    r"|^#\{|^\*+$|\*{3,}|x{5,}|^x+$|\.{3}|\xe2\x80\xa6|\xe2\x80\xa2|^[-_.=?~#]+$"
    r"|example|placeholder|^your|your[-_ ]|[-_]your|^my[-_ ][a-z_ -]+$|change[-_ ]?(?:me|this|it)|replace[-_ ]?(?:me|this|with)"
    r"|insert[-_ ]|^enter[-_ ]|put[-_ ]your|^todo|fixme|^dummy|^sample|^foo(?:bar)?(?:baz)?$|^bar$|^baz$|^n/?a$|^tbd$"
    r"|^(?:some|any|the|a|an|this|that|new|old|not)[-_ ]|goes[-_ ]here|[-_ ]here$"
)
_MASKED = searching(r"(?i)x{6,}|\*{3,}|\.{3,}|_{5,}|EXAMPLE|<[^>]*>|PLACEHOLDER|your[-_]|-here\b|^(?:.)?0{12,}|\xe2\x80\xa6")
_TYPE = searching(
    r"(?i)^\??&?\*?(?:str|string|text|bytes?|bytearray|char|varchar|int(?:eger)?|number|float|double|bool(?:ean)?|object"
    r"|any|none|null|nil|void|undefined|unknown|never|optional|required|option|true|false|yes|no|on|off|list|dict|map"
    r"|array|vec|uuid|date|time|datetime|json|blob|binary|enum|union|self|this|u?int[0-9]{1,3}|[uif](?:8|16|32|64|128)"
    r"|bytes[0-9]{1,2}|utf-?8|sha-?(?:1|256|384|512)|md5|base64|hex|ascii|secretstr|secret_?string)"
    r"(?:\[[^\]]*\]?|<[^>]*>?|\([^)]*\)?)?[?!]?$"
)
_WORDS = frozenset(
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
_PHRASE = searching(
    r"(?i)\b(?:password|passwd|passphrase|token|secret|key|credentials?|your|please|enter|must|should|invalid|incorrect"
    r"|required|the|is|are|not|for|with|reset|forgot|confirm|new|current|at least|characters|login|sign)\b"
)
_PATH = searching(
    r"^(?:\.{0,2}/|~/|[A-Za-z]:\\|file:|https?:|wss?:|ssh:|git@|s3:|gs:|arn:|urn:|projects/|data:)"
    r"|\.(?:json|ya?ml|toml|pem|key|crt|cer|txt|env|py|js|ts|tsx|jsx|go|rs|rb|java|md|sh|sql|html?|css|lock|log)$"
)
_REFERENCE = searching(r"^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")
_DATE = searching(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}|^v?[0-9]+\.[0-9]+(?:\.[0-9x]+)*(?:[-+][A-Za-z0-9.]+)?$|^\^|^~[0-9]")
_INTEGRITY = searching(r"^(?:sha(?:1|224|256|384|512)|md5|blake[23][bs]?|h1|xxh[0-9]+|crc32)[-:=_]|^W/|^etag")
_UUID = searching(r"(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
_HEX = searching("^(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)$")
_CALL = searching(r"^[A-Za-z_$][A-Za-z0-9_$.:>-]*[(\[]|=>|^\(|^\[|^!|^&[a-z]|^new |^await |^async ")
_IDENTIFIER = searching(r"^[A-Za-z_$][A-Za-z0-9_$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][A-Za-z0-9_$]*)*[;,]?$")

_ALGORITHMS = searching(
    r"(?i)(?:sha|md|utf|base|aes|rsa|u?int|float|es|hs|rs|ps|oauth|http|ipv|x|pkcs|ed|p|h|v|s|ec|ecma|level|step|part"
    r"|user|test|id|key|token|secret|password|pass|app|api|db|node|host|server|port|web|win|gpt|claude|k)-?[0-9]{1,5}"
)
_SPLIT = searching(r"[-_./:+=~|,@# ]+")
_WORDLIKE = searching(r"^(?:[a-z]+|[A-Z]+|(?:[A-Z]?[a-z]+)(?:[A-Z][a-z]+)*|[0-9]{1,5}|v[0-9]+|[A-Za-z]+[0-9]{1,4})$")
_CHANGES = searching("[a-z][A-Z]|[A-Z][a-z]")
_LETTER = searching("[A-Za-z]")
_DIGIT = searching("[0-9]")
_SYMBOL = searching(r"[!@#$%^&*()+=\[\]{}|;:<>?/~`\\-]|[^ -~]")
_LETTERS_ONLY = searching("^[A-Za-z]+$")
_TITLE = searching("^[A-Z][a-z]+$")
_SECRET_WORD = searching(r"(?i)passw|passwd|secret|token|apikey|api[-_]key|credential")
_WORDS_ONLY = searching(r"^[A-Za-z]+(?:[-_. ]+[A-Za-z]+)*[.!?:*]*$")
_ASSIGNED = capturing(r"^(?:base64|hex|b64):(.+)$")


def is_placeholder(value: bytes) -> bool:
    """Tell whether a value only stands for a secret (`${TOKEN}`, `<your-key>`, `changeme`, `xxxxx`)."""
    return _PLACEHOLDER.search(value) is not None or len(set(value)) == 1


def is_masked(token: bytes) -> bool:
    """Tell whether a token of a known shape is a documented example, or was masked already."""
    return _MASKED.search(token) is not None or documented(token)


def is_uuid(value: bytes) -> bool:
    """Tell whether a value is a UUID: an id unless its name says otherwise."""
    return _UUID.search(value) is not None


def is_random(value: bytes) -> bool:
    """Tell whether a value looks drawn at random, not written by a person or a program's author."""
    inner = _ASSIGNED.search(value)
    if inner is not None:
        value = inner.group(1)
    size = len(value)
    if size < MIN_RANDOM or size > MAX_VALUE or len(set(value)) < 5:
        return False
    if _LETTER.search(value) is None or _DATE.search(value) or _INTEGRITY.search(value):
        return False
    if _DIGIT.search(value) is None:
        return _mixed_case(value)
    pieces = [piece for piece in _SPLIT.sub(b" ", value).split(b" ") if piece]
    odd = sum(1 for piece in pieces if not _WORDLIKE.search(piece))
    if odd == 0:
        return False
    rest = _ALGORITHMS.sub(b"", value)
    return _DIGIT.search(rest) is not None


def _mixed_case(value: bytes) -> bool:
    """Letters only: random when the case changes far more often than in any camelCase name."""
    if len(value) < LONG_RANDOM or b" " in value:
        return False
    changes = sum(1 for _ in _CHANGES.finditer(value))
    return changes * 3 >= len(value)


def is_quoted_password(value: bytes) -> bool:
    """Tell whether a quoted literal, assigned to a password, is one."""
    if not MIN_PASSWORD <= len(value) <= MAX_VALUE or is_placeholder(value):
        return False
    if value.lower() in _WORDS or _TYPE.search(value) or _REFERENCE.search(value) or _PATH.search(value):
        return False
    if b" " in value and _PHRASE.search(value):
        return False
    if _WORDS_ONLY.search(value) and (_SECRET_WORD.search(value) or _TITLE.search(value)):
        return False
    if value[:1] in b"#.[" and _SECRET_WORD.search(value):
        return False
    return not (_CALL.search(value) and value[-1:] in b")];")


def is_bare_password(value: bytes, *, literal: bool) -> bool:
    """Tell whether an unquoted word, assigned to a password, is one.

    `literal`: the place takes literal text (an environment file, a URL, a connection string), not an expression.
    """
    if not is_quoted_password(value) or _CALL.search(value) or _DATE.search(value):
        return False
    digits = _DIGIT.search(value) is not None
    if literal:
        return True
    if _LETTER.search(value) is None:
        return len(value) >= 6 and digits
    if _IDENTIFIER.search(value):
        return digits and _ALGORITHMS.sub(b"", value).strip(b"_,;") != b"" and _DIGIT.search(_ALGORITHMS.sub(b"", value)) is not None
    return digits or _SYMBOL.search(value) is not None and len(value) >= 6 and not _WORDS_ONLY.search(value)


def is_secret(value: bytes, *, literal: bool, quoted: bool) -> bool:
    """Tell whether a value, assigned to a secret, token or key, is one."""
    if is_placeholder(value) or is_masked(value) or len(value) > MAX_VALUE or b" " in value:
        return False
    if _TYPE.search(value) or _REFERENCE.search(value) or _PATH.search(value) or value.lower() in _WORDS:
        return False
    if not quoted and _CALL.search(value):
        return False
    if is_random(value):
        return not _camel_identifier(value, quoted=quoted, literal=literal)
    if not literal:
        return False
    # An environment file gives literal values: what is long, or has a digit, and is no word is meant.
    return len(value) >= 12 or (len(value) >= 6 and _DIGIT.search(value) is not None and _LETTER.search(value) is not None)


def _camel_identifier(value: bytes, *, quoted: bool, literal: bool) -> bool:
    if quoted or literal or not _IDENTIFIER.search(value):
        return False
    # `token: CancellationToken2` or `key = node.attrs2`: names have few digits, in one place.
    digits = sum(1 for _ in _DIGIT.finditer(value))
    return digits <= 2 and len(value) < 32 or (b"." in value and digits <= 4)


# --- documented examples -------------------------------------------------------------------------------------------

# Written in halves, so that nothing takes this file for a leak.
_DOCUMENTED = frozenset(
    first + second
    for first, second in (
        (b"AKIAIOSFODNN7", b"EXAMPLE"),
        (b"AKIAI44QH8DHB", b"EXAMPLE"),
        (b"ASIAIOSFODNN7", b"EXAMPLE"),
        (b"wJalrXUtnFEMI/K7MDENG/", b"bPxRfiCYEXAMPLEKEY"),
        (b"je7MtGbClwBF/2Zp9Utk/", b"h3yCo8nvbEXAMPLEKEY"),
        (b"sk_test_4eC39HqLyjWD", b"arjtT1zdp7dc"),
        (b"sk_test_BQokikJOvBiI", b"2HlWgH4olfQ2"),
        (b"sk_test_tR3PYbcVNZZ7", b"96tH88S4VQ2u"),
        (b"sk_test_26PHem9AhJZv", b"U623DfE1x4sd"),
        (b"sk_test_mkGsLqEW6SLn", b"ZkYDAXzKPdhb"),
        (b"sk_test_09l3shTSTKHY", b"CzzZZsiLl2vA"),
        (b"pk_test_TYooMQauvdED", b"q54NiTphI7jx"),
        (b"pk_test_6pRNASCoBOKt", b"IshFeQd4XMUh"),
        (b"pk_test_g6do5S237ekq", b"10r65BnxO6S0"),
        (b"ghp_16C7e42F292c6912", b"E7710c838347Ae178B4a"),
        (b"AIzaSyDaGmWKa4JsXZ-Hj", b"Gw7ISLn_3namBGewQe"),
        (b"dXNlcm5hbWU6", b"cGFzc3dvcmQ="),
        (b"QWxhZGRpbjpvcGVuIHNl", b"c2FtZQ=="),
        (b"QWxhZGRpbjpPcGVuU2Vz", b"YW1l"),
        (b"dXNlcjpwYXNz", b""),
        (b"dXNlcjpwYXNzd29yZA==", b""),
        (b"110201543:AAHdqTcvCH1vGW", b"JxfSeofSAs0K5PALDsaw"),
        (b"123456:ABC-DEF1234gh", b"Ikl-zyx57W2v1u123ew11"),
    )
)
# The sample of jwt.io, with any header or signature; RFC 7519's.
_DOCUMENTED_CLAIMS = (b"eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l", b"eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODA")


def documented(token: bytes) -> bool:
    """Tell whether a token is printed in its issuer's public documentation as an example."""
    return token in _DOCUMENTED or any(claims in token for claims in _DOCUMENTED_CLAIMS)
