"""What stands for a secret without being one: placeholders, masks, documented examples."""

from __future__ import annotations

from unabridged.archive.redact.pattern import searching

_PLACEHOLDER = searching(
    r"(?i)\[redacted|redacted\]|^redacted$|^\[?(?:hidden|masked|filtered|removed|secret|omitted|scrubbed)\]?$"
    r"|^<[^>]*>|<[a-z][a-z0-9 _-]*>|^\$|\$\{|\{\{|\$\(|%\(|^%[a-z_]+%$|^%[sdv]$|^\{[A-Za-z_]|^:[a-z_]+$|^@[a-z_.]+$"
    r"|^#\{|^\*+$|\*{3,}|x{5,}|^x+$|\.{3}|\xe2\x80\xa6|\xe2\x80\xa2|^[-_.=?~#]+$"
    r"|example|placeholder|^your|your[-_ ]|[-_]your|^my[-_ ][a-z_ -]+$"
    r"|change[-_ ]?(?:me|this|it)|replace[-_ ]?(?:me|this|with)"
    r"|insert[-_ ]|^enter[-_ ]|put[-_ ]your|^todo|fixme|^dummy|^sample|^foo(?:bar)?(?:baz)?$|^bar$|^baz$|^n/?a$|^tbd$"
    r"|^(?:some|any|the|a|an|this|that|new|old|not)[-_ ]|goes[-_ ]here|[-_ ]here$"
    r"|^[x0*._-]+$|^(?:%[sdvr][:/@,. -]*)+$|(?:^|[-_])(?:dummy|fake)(?:$|[-_])|not[-_]an?[-_]"
    r"|^(?:op|vault|ssm|env|file|secret|keyring|keychain|awskms|gcpkms|ref\+[a-z]+)://|^vault:[a-z]"
)
_MASKED = searching(
    r"(?i)x{6,}|\*{3,}|\.{3,}|_{5,}|EXAMPLE|<[^>]*>|PLACEHOLDER|your[-_]|-here\b|^(?:.)?0{12,}|\xe2\x80\xa6"
)


def is_placeholder(value: bytes) -> bool:
    """Tell whether a value only stands for a secret (`${TOKEN}`, `<your-key>`, `changeme`, `xxxxx`)."""
    return len(set(value)) == 1 or _PLACEHOLDER.search(value) is not None


def is_masked(token: bytes) -> bool:
    """Tell whether a token of a known shape is a documented example, or was masked already."""
    return _MASKED.search(token) is not None or documented(token)


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
        (b"sk_test_mkGsLqEW6SLn", b"Za487HYfJVLf"),
        (b"sk_test_09l3shTSTKHY", b"CzzZZsiLl2vA"),
        (b"pk_test_TYooMQauvdED", b"q54NiTphI7jx"),
        (b"pk_test_6pRNASCoBOKt", b"IshFeQd4XMUh"),
        (b"pk_test_g6do5S237ekq", b"10r65BnxO6S0"),
        (b"AIzaSyDaGmWKa4JsXZ-Hj", b"Gw7ISLn_3namBGewQe"),
        (b"dXNlcm5hbWU6", b"cGFzc3dvcmQ="),
        (b"QWxhZGRpbjpvcGVuIHNl", b"c2FtZQ=="),
        (b"QWxhZGRpbjpPcGVuU2Vz", b"YW1l"),
        (b"dXNlcjpwYXNz", b""),
        (b"dXNlcjpwYXNzd29yZA==", b""),
        # The account key that every storage emulator has.
        (
            b"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2U",
            b"VErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
        ),
        (b"110201543:AAHdqTcvCH1vGW", b"JxfSeofSAs0K5PALDsaw"),
        (b"123456:ABC-DEF1234gh", b"Ikl-zyx57W2v1u123ew11"),
    )
)
# The claims of jwt.io's sample and of RFC 7519's, with any header or signature; the body of GitHub's sample tokens.
_DOCUMENTED_PARTS = (
    b"16C7e42F292c6912" + b"E7710c838347Ae178B4a",
    b"eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l",
    b"eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODA",
)
_SHORTEST_PART = min(map(len, _DOCUMENTED_PARTS))


def documented(token: bytes) -> bool:
    """Tell whether a token is printed in its issuer's public documentation as an example."""
    if token in _DOCUMENTED:
        return True
    return len(token) >= _SHORTEST_PART and any(part in token for part in _DOCUMENTED_PARTS)
