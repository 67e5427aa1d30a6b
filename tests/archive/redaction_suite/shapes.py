"""Made-up credentials of the right shape.

A template holds codes such as `{h40}`: forty hexadecimal digits. What they stand for is drawn at run time from a
generator seeded by the kind's name, so the source holds no text that looks like a credential and every run sees the
same ones. `‹…›` marks what must not survive. `⟨…⟩` around it marks how far a redaction may reach; without it, not a
character further.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
import zlib
from dataclasses import dataclass

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
PEM_WIDTH = 64  # characters of one line of armour

CHARACTERS = {
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "a": BASE62,
    "u": string.ascii_uppercase + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "L": string.ascii_lowercase,
    "d": string.digits,
    "w": BASE62 + "_-",
    "b": BASE62 + "+/",
    "s": string.ascii_lowercase + "234567",
    "S": string.ascii_uppercase + "234567",
    "k": BECH32,
}
WORDS = (
    "Copper",
    "Meadow",
    "Lantern",
    "Walrus",
    "Orchard",
    "Pigeon",
    "Harbour",
    "Thimble",
    "Gravel",
    "Saffron",
)

CODE = re.compile(r"\{([A-Za-z])(\d+)\}")
MARK = re.compile(r"[‹›⟨⟩]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text: kept as it is, or the place of `secrets`."""

    text: str
    secrets: tuple[str, ...] = ()
    wider: bool = False  # a redaction may take any part of the stretch, not exactly the secret


@dataclass(frozen=True, slots=True)
class Positive:
    """A text with credentials of one kind."""

    kind: str
    markup: str
    bare: bool  # the credential alone: it can stand within a line

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not survive."""
        return tuple(secret for piece in pieces(self.markup) for secret in piece.secrets)


def made(kind: str, template: str) -> str:
    """Return the template with every code replaced by what it stands for."""
    rng = random.Random(f"credential of kind {kind}")
    return CODE.sub(lambda code: one(rng, code[1], int(code[2])), template)


def one(rng: random.Random, code: str, number: int) -> str:
    if code in CHARACTERS:
        return drawn(rng, CHARACTERS[code], number)
    if code == "i":  # a UUID, version 4
        variant = rng.choice("89ab")
        parts = (
            hexes(rng, 8),
            hexes(rng, 4),
            f"4{hexes(rng, 3)}",
            f"{variant}{hexes(rng, 3)}",
            hexes(rng, 12),
        )
        return "-".join(parts)
    if code == "p":  # a machine's password
        return (
            drawn(rng, string.ascii_letters, 1)
            + drawn(rng, BASE62 + "!*._-", number - 2)
            + drawn(rng, BASE62, 1)
        )
    if code == "q":  # a person's password: a word, digits, and a sign
        return f"{rng.choice(WORDS)}{rng.randrange(10**number):0{number}}!"
    if code == "c":  # characters that end in their checksum, as GitHub, npm and Vercel write them
        body = drawn(rng, BASE62, number)
        return body + checksum(body)
    if code == "x":  # bytes as base64
        return base64.b64encode(rng.randbytes(number)).decode()
    if code == "o":  # a user's name and password as HTTP's basic scheme sends them
        return base64.b64encode(f"deploy:{drawn(rng, BASE62, number)}".encode()).decode()
    if code == "y":  # bytes as base64 for addresses
        return base64.urlsafe_b64encode(rng.randbytes(number)).decode().rstrip("=")
    if code == "t":  # lines of armour
        lines = [base64.b64encode(rng.randbytes(PEM_WIDTH * 3 // 4)).decode() for _ in range(number - 1)]
        return "\n".join([*lines, base64.b64encode(rng.randbytes(25)).decode()])
    if code == "j":  # a signed token; the number is the signature's size
        return token(rng, number)
    raise ValueError(code)


def drawn(rng: random.Random, characters: str, number: int) -> str:
    return "".join(rng.choice(characters) for _ in range(number))


def hexes(rng: random.Random, number: int) -> str:
    return drawn(rng, CHARACTERS["h"], number)


def checksum(body: str) -> str:
    value, digits = zlib.crc32(body.encode()), ""
    for _ in range(6):
        value, digit = divmod(value, 62)
        digits = BASE62[digit] + digits
    return digits


def token(rng: random.Random, size: int) -> str:
    header = {"alg": "HS256" if size == 32 else "RS256", "typ": "JWT"}
    payload = {
        "sub": drawn(rng, string.digits, 10),
        "iat": 1_700_000_000 + rng.randrange(10**7),
        "scope": "write",
    }
    parts = [json.dumps(part, separators=(",", ":")).encode() for part in (header, payload)]
    return ".".join(
        base64.urlsafe_b64encode(part).decode().rstrip("=") for part in [*parts, rng.randbytes(size)]
    )


def plain(markup: str) -> str:
    """Return the text without marks."""
    return MARK.sub("", markup)


def pieces(markup: str) -> list[Piece]:
    """Return the stretches of a marked text in order."""
    found, at = list[Piece](), 0
    for match in re.finditer(r"⟨([^⟩]*)⟩|‹([^›]*)›", markup):
        found.append(Piece(markup[at : match.start()]))
        if match[1] is None:
            found.append(Piece(match[2], (match[2],)))
        else:
            secrets = tuple(re.findall(r"‹([^›]*)›", match[1]))
            assert secrets, markup
            found.append(Piece(plain(match[1]), secrets, wider=True))
        at = match.end()
    found.append(Piece(markup[at:]))
    assert "".join(piece.text for piece in found) == plain(markup), markup
    return [piece for piece in found if piece.text]
