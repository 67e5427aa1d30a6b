"""Names of things that hold secrets."""

from __future__ import annotations

import functools
import re
from typing import Literal

NameClass = Literal["", "password", "secret", "token", "key", "auth", "cookie", "authorization"]

MAX_NAME = 80  # bytes before a keyword that may still belong to its name

# A `key` is a secret only with one of these before it.
_KEY_OWNERS = (
    "api|access|secret|private|account|auth|master|encryption|encrypt|decryption|signing|sign|signature|service"
    "|storage|shared|subscription|deploy|licen[sc]e|admin|client|app|application|root|session|ssh|hmac|jwt|cipher"
    "|crypto|consumer|integration|webhook|server|function|host|registry|aes|kms|ingest|ingestion|instrumentation"
    "|account|bot|user|team|project|write|read|search|preshared|pre-shared|ssl|tls|rsa|ecdsa|gpg|pgp|vapid|fernet"
    "|openai|anthropic|claude|gemini|mistral|cohere|groq|deepseek|replicate|together|pinecone|tavily|serper|exa"
    "|stripe|aws|azure|gcp|google|maps|github|gitlab|twilio|sendgrid|mailgun|mailchimp|postmark|datadog|cloudflare"
    "|heroku|algolia|airtable|rapidapi|firebase|supabase|sentry|newrelic|relic|pagerduty|linear|notion|figma"
    "|shopify|okta|auth0|huggingface|elevenlabs|deepgram|assemblyai|trello|slack|discord|dd|cf|rails"
)
KEYWORD = (
    r"(?:pass(?:w(?:or)?d|phrase|code|wort)?|pswd|pwd?|token|secret|credentials?|bearer|cookie|authorization|auth"
    rf"|(?:{_KEY_OWNERS})[-_. ]?key)"
)
# What the screen looks for: without the owners, which would cost it half its speed. One byte before `key` is part of
# the match, for a `key` alone is none.
SCREENED = (
    "(?:pass(?:w(?:or)?d|phrase|code|wort)?|pswd|pwd?|token|secret|credentials?|bearer|cookie|auth(?:orization)?"
    "|[A-Za-z0-9_. -]key)"
)
SUFFIX = (
    r"(?:[-_.]?(?:values?|val|b64|base64|hex|str(?:ing)?|plain(?:text)?|raw|prod(?:uction)?|dev(?:elopment)?|test"
    r"|staging|stage|live|sandbox|primary|secondary|main|default|current|old|new|backup|master|admin|root|user|db"
    r"|base|id|key|token|secret|data|v?[0-9]{1,2})){0,3}"
)

# Names of which the last word looks like a secret's, but that hold none.
_HARMLESS = frozenset(
    b"max min num count next page pagination continuation cursor pad eos bos unk cls sep mask special stop start end "
    b"cancel cancellation fencing fence idempotency prompt cache sort partition primary foreign public publishable "
    b"design lookahead parse parser lex lexer resolve has is lock sync resume row column map dict hot short no "
    b"missing invalid validate verify reset forgot show hide toggle input output total usage budget limit".split()
)
_PASSWORDS = frozenset(b"password passwd passwort passphrase passcode pswd pwd pw passwd".split())

_LAST_KEYWORD = re.compile(rf"(?is).*({KEYWORD}){SUFFIX}\Z".encode())
_CAMEL = re.compile(rb"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
ENVIRONMENT_NAME = re.compile(rb"[A-Z][A-Z0-9_]*\Z")
CACHED = (
    4_096  # names of which the class is remembered; a project's code has few, and they come again and again
)


def words(name: bytes) -> list[bytes]:
    """Split a name at case changes, underscores, dashes, dots; lower case."""
    return [word.lower() for word in _CAMEL.split(name) if word]


@functools.lru_cache(CACHED)
def classify(name: bytes) -> NameClass:
    """Tell what a thing of this name holds: the class of the secret, or `""`."""
    match = _LAST_KEYWORD.match(name)
    if match is None:
        return _environment_key(name)
    parts = words(name)
    if any(part in _HARMLESS for part in parts[:-1]) or not parts:
        return ""
    if parts[-1] == b"id" and b"signing" in parts:
        return ""  # Gradle's name for which key signs
    keyword = match.group(1).lower()
    if keyword.startswith(b"pass") or keyword in _PASSWORDS:
        return _password(keyword, parts)
    for found in ("cookie", "authorization", "secret", "token"):
        if keyword == found.encode():
            return found
    if keyword.startswith(b"credential") or keyword == b"bearer":
        return "token"
    if keyword == b"auth":
        return "auth" if parts[-1] == b"auth" else ""
    return "key"


def _password(keyword: bytes, parts: list[bytes]) -> NameClass:
    # `pass` is also what a test does: it counts only as a word of its own, behind another one (`db_pass`).
    if keyword in (b"pass", b"pw") and keyword not in parts:
        return ""
    return "password"


def is_weak(name: bytes) -> bool:
    """Tell whether a name is also an everyday word: `pass`, `auth`."""
    return name.strip(b"_.-").lower() in (b"pass", b"auth", b"bearer")


def _environment_key(name: bytes) -> NameClass:
    if not ENVIRONMENT_NAME.match(name) or not name.endswith(b"KEY") or len(name) < len(b"X_KEY"):
        return ""
    return "" if any(part in _HARMLESS for part in words(name)) else "key"


def kind_of(name: bytes, found: NameClass) -> str:
    """Return the kind that a placeholder names for a value of this name."""
    lower = name.lower()
    if found == "password":
        return "passphrase" if b"phrase" in lower else "password"
    if found == "key":
        for part, kind in ((b"api", "api-key"), (b"private", "private-key"), (b"access", "access-key")):
            if part in lower:
                return kind
        return "key"
    return {"cookie": "cookie", "authorization": "authorization", "secret": "secret"}.get(found, "token")
