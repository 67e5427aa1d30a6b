"""Secrets that are told by a neighbour in their object, in a line's own JSON and in text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.archive.redact.secrets import PASSWORD, line
from unabridged.archive.redact import Redactor

REDACTOR = Redactor.compile()
TOKEN = "q7Rt2LmZ9xKv4Wp8" + "Yb3NcD6fGh1Js5A0"
MEMBER = "Zm9v3mFyYmF6" * 4
PUBLIC = "A1b2" * 12
LONG = 171  # times four characters: a member of an RSA key of 4,096 bits

# name → (value, what is secret in it)
OBJECTS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "an RSA web key": (
        {
            "kty": "RSA",
            "n": PUBLIC,
            "e": "AQAB",
            **{name: f"{name}{MEMBER}" for name in ("d", "p", "q", "dp", "dq", "qi")},
        },
        tuple(f"{name}{MEMBER}" for name in ("d", "p", "q", "dp", "dq", "qi")),
    ),
    "a web key of curves, its type last": (
        {"x": PUBLIC, "d": MEMBER, "crv": "P-256", "kty": "EC"},
        (MEMBER,),
    ),
    "a symmetric web key": ({"kty": "oct", "k": MEMBER, "alg": "HS256"}, (MEMBER,)),
    "a long web key in a set": (
        {
            "keys": [
                {"kty": "RSA", "n": "A1b2" * LONG, "d": "c3D4" * LONG, "p": "e5F6" * LONG, "q": "g7H8" * LONG}
            ]
        },
        ("c3D4" * LONG, "e5F6" * LONG, "g7H8" * LONG),
    ),
    "a header by name": ([{"name": "Authorization", "value": f"Bearer {TOKEN}"}], (TOKEN,)),
    "a header, its name last": ([{"value": TOKEN, "name": "Authorization"}], (TOKEN,)),
    "a header by key": ([{"value": TOKEN, "enabled": True, "key": "x-api-key"}], (TOKEN,)),
    "a header some members away": (
        [{"name": "x-api-key", "type": "string", "on": None, "value": TOKEN}],
        (TOKEN,),
    ),
    "headers in pairs": ([["x-api-key", TOKEN], ["accept", "text/html"]], (TOKEN,)),
    "headers in a flat list": ({"rawHeaders": ["Host", "a.io", "X-Api-Key", TOKEN]}, (TOKEN,)),
    "headers with lists of values": (
        {"x-api-key": [TOKEN], "Set-Cookie": [f"sid={TOKEN}; Path=/"]},
        (TOKEN,),
    ),
    "an environment, its names last": ({"env": [{"value": TOKEN, "name": "SERVICE_API_KEY"}]}, (TOKEN,)),
    "an environment as Amazon has it": (
        {"Environment": [{"Name": "DB_PASSWORD", "Value": PASSWORD}]},
        (PASSWORD,),
    ),
    "a parameter of a stack": ({"ParameterKey": "DBPassword", "ParameterValue": PASSWORD}, (PASSWORD,)),
    "a default": ({"name": "DB_PASSWORD", "default": PASSWORD}, (PASSWORD,)),
    "short keys": ({"k": "API_KEY", "v": TOKEN}, (TOKEN,)),
    "a field of a form": ({"element": "Password field", "ref": "e3", "text": PASSWORD}, (PASSWORD,)),
    "a field by its selector": ({"selector": "input[name=password]", "text": PASSWORD}, (PASSWORD,)),
    "a value in an object": ({"db_password": {"sensitive": True, "value": PASSWORD}}, (PASSWORD,)),
    "a value in objects": ({"api_key": {"value": {"stringValue": TOKEN}}}, (TOKEN,)),
    "a value behind its type": ({"api_key": {"S": TOKEN}}, (TOKEN,)),
    "named and wrapped": ({"key": "api_key", "value": {"stringValue": TOKEN}}, (TOKEN,)),
    "a browser's cookie": (
        [{"domain": "a.io", "httpOnly": True, "name": "sid", "path": "/", "value": TOKEN}],
        (TOKEN,),
    ),
    "cookies by name": ({"cookies": {"sid": TOKEN, "theme": "dark"}}, (TOKEN,)),
    "a list of cookies": (
        {"cookies": [{"name": "lang", "value": "en"}, {"name": "sid", "value": TOKEN}]},
        (TOKEN,),
    ),
    "an option and its argument": (["tool", "--api-key", TOKEN, "--verbose"], (TOKEN,)),
    "a command's arguments": (["mysql", "-u", "root", f"-p{PASSWORD}"], (PASSWORD,)),
    "a login's arguments": (["curl", "-s", "-u", f"bob:{PASSWORD}", "https://a.io"], (PASSWORD,)),
    "another command's arguments": (["sshpass", "-p", PASSWORD, "ssh", "a.io"], (PASSWORD,)),
}

# Only where the whole line is JSON: in text, the manifest has rules of its own; a list of many has none.
LINES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "a manifest": (
        {"apiVersion": "v1", "data": {"some": "Zm9vYmFyYmF6", "more": "YmF6YmFyZm9v"}, "kind": "Secret"},
        ("Zm9vYmFyYmF6", "YmF6YmFyZm9v"),
    ),
    "a manifest of texts": ({"kind": "Secret", "stringData": {"some": f"a\n{PASSWORD}"}}, (PASSWORD,)),
    "several": ({"api_keys": [TOKEN, f"{TOKEN[::-1]}"]}, (TOKEN, TOKEN[::-1])),
}

TEXTS = {
    "YAML, the name last": (f"env:\n  - value: {TOKEN}\n    name: API_KEY\n  - name: HOST\n", TOKEN),
    "YAML, a line between": (f"env:\n  - name: API_KEY\n    type: text\n    value: {TOKEN}  # mine\n", TOKEN),
    "YAML as tools print it": (
        f"  7\u2192  - name: API_KEY\n  8\u2192    on: yes\n  9\u2192    value: '{TOKEN}'\n",
        TOKEN,
    ),
    "YAML, a web key": (f"- use: sig\n  kty: RSA\n  d: {MEMBER}\n", MEMBER),
    "Python, a web key": (f"key = {{'kty': 'oct', 'k': '{MEMBER}'}}\n", MEMBER),
    "JavaScript, the name last": (f"env.push({{ value: '{TOKEN}', name: 'API_KEY' }});\n", TOKEN),
    "XML, the name last": (f'<property value="{PASSWORD}" name="password"/>\n', PASSWORD),
    "Python, a list": (f'HEADERS = {{"x-api-key": ["{TOKEN}"]}}\n', TOKEN),
    "Python, arguments": (f'run(["mysql", "-u", "root", "-p{PASSWORD}"])\n', PASSWORD),
}

HARMLESS: dict[str, Any] = {
    "a schema": {
        "name": "login",
        "inputSchema": {
            "type": "object",
            "properties": {
                "password": {
                    "type": "string",
                    "default": "changeme",
                    "description": "The password of the user.",
                },
                "api_key": {
                    "type": ["string", "null"],
                    "pattern": "^[a-z0-9]{32}$",
                    "examples": ["your-api-key"],
                },
            },
            "required": ["password", "api_key", "token"],
        },
    },
    "a tool call": {
        "type": "tool_use",
        "id": "toolu_01Ab2Cd3",
        "name": "get_access_token",
        "input": {"text": "x"},
    },
    "texts of a page": [
        {"key": "login.password", "enabled": True, "value": "Mot de passe"},
        {"key": "login.forgot_password", "enabled": True, "value": "Passwort vergessen?"},
        {"id": "password", "label": "Password", "type": "password", "value": ""},
    ],
    "a snapshot of a page": {"element": "Forgot password link", "ref": "e12", "text": "Reset2 it-now"},
    "a public web key": {"kty": "RSA", "n": PUBLIC * 8, "e": "AQAB", "kid": PUBLIC, "x5t": PUBLIC},
    "references": [
        {"name": "API_KEY", "value": "${API_KEY}"},
        {"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db-credentials", "key": "password"}}},
        {"value": "{{ vault.token }}", "name": "TOKEN"},
        {"Key": "secret", "Value": "projects/my-project/secrets/db"},
    ],
    "counts": [
        {"name": "token_count", "value": "120012345678"},
        {"value": "abc1234567", "name": "input_tokens"},
    ],
    "names alone": {
        "fields": ["password", "token", "api_key", "secret_key2"],
        "tokens": ["hello", "w0rld", "##ing"],
    },
    "arguments without secrets": [
        ["docker", "run", "-p", "8080:80", "-u", "1000:1000", "app"],
        ["curl", "-s", "https://a.io/token?x=1"],
        ["mysql", "-u", "root", "-p"],
        ["tool", "--token", "--verbose"],
    ],
    "cookies without sessions": {
        "cookies": {"theme": "dark", "lang": "en-GB"},
        "httpOnly": True,
        "value": "dark",
    },
    "another manifest": {"kind": "ConfigMap", "data": {"some": "Zm9vYmFyYmF6"}},
    "pairs of a parser": [["token", "IDENT"], ["key", "value_of_key2"], ["secret", "string"]],
    "headers without secrets": {
        "rawHeaders": ["X-Api-Key", "Content-Type", "Cookie", "none", "sort-key", "created2"]
    },
}


def spellings(value: Any) -> list[str]:
    return [json.dumps(value), json.dumps(value, separators=(",", ":")), json.dumps(value, indent=2)]


@pytest.mark.parametrize(("value", "secrets"), [*OBJECTS.values(), *LINES.values()], ids=[*OBJECTS, *LINES])
def test_a_secret_goes_from_an_object_of_the_line_and_nothing_else(
    value: Any, secrets: tuple[str, ...]
) -> None:
    for text in spellings(value):
        data = text.encode()
        kept, found = REDACTOR.line(data)
        shown = json.dumps(json.loads(kept))
        assert [secret for secret in secrets if secret in shown] == [], text
        assert found
        assert masked(json.loads(kept), value) == value
        assert REDACTOR.line(kept) == (kept, ())


def masked(kept: Any, value: Any) -> Any:
    """Put back what a placeholder stands for, where all else is equal."""
    if isinstance(value, dict):
        return (
            {key: masked(kept[key], inner) for key, inner in value.items()}
            if kept.keys() == value.keys()
            else kept
        )
    if isinstance(value, list):
        return [masked(one, two) for one, two in zip(kept, value, strict=True)]
    return value if isinstance(kept, str) and "[redacted:" in kept else kept


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize(("value", "secrets"), OBJECTS.values(), ids=OBJECTS)
def test_a_secret_goes_from_an_object_within_strings(
    value: Any, secrets: tuple[str, ...], depth: int
) -> None:
    for text in spellings(value):
        whole = {"text": f"It said:\n{text}\nand more."}
        for _ in range(depth - 1):
            whole = {"text": json.dumps(whole)}
        kept, found = REDACTOR.line(line(whole))
        assert [secret for secret in secrets if secret.encode() in kept] == [], text
        assert found
        inner = json.loads(kept)["text"]
        for _ in range(depth - 1):
            inner = json.loads(inner)["text"]
        assert (
            masked(json.loads(inner.removeprefix("It said:\n").removesuffix("\nand more.")), value) == value
        )
        assert REDACTOR.line(kept) == (kept, ())


@pytest.mark.parametrize(("text", "secret"), TEXTS.values(), ids=TEXTS)
def test_a_secret_goes_from_text_that_has_objects_of_other_kinds(text: str, secret: str) -> None:
    kept, found = REDACTOR.text(text)
    assert found
    before, after = text.split(secret)
    assert kept.startswith(f"{before}[redacted:")
    assert kept.endswith(f"]{after}")
    assert REDACTOR.line(line({"a": text}, ascii_only=False)) == (line({"a": kept}, ascii_only=False), found)


@pytest.mark.parametrize("value", HARMLESS.values(), ids=HARMLESS)
def test_what_only_speaks_of_secrets_stays_in_objects(value: Any) -> None:
    for text in spellings(value):
        assert REDACTOR.line(text.encode()) == (text.encode(), ())
        for whole in ({"text": text}, {"text": json.dumps({"text": text})}):
            assert REDACTOR.line(line(whole)) == (line(whole), ())


def test_signed_fields_stay_whatever_names_them() -> None:
    data = line([{"name": "API_KEY", "signature": TOKEN, "value": {"encrypted_content": TOKEN}}])
    assert REDACTOR.line(data) == (data, ())


@pytest.mark.parametrize("distance", [200, 700, 1_500])
def test_what_tells_a_value_may_stand_far_before_or_behind_it(distance: int) -> None:
    filler = "lorem ipsum " * (distance // 12)
    for value in (
        {"name": "API_KEY", "about": filler, "value": TOKEN},
        {"value": TOKEN, "about": filler, "name": "API_KEY"},
        {"d": MEMBER, "about": filler, "kty": "EC"},
    ):
        for data in (line(value), line({"text": json.dumps(value)})):
            kept, _ = REDACTOR.line(data)
            assert TOKEN.encode() not in kept
            assert MEMBER.encode() not in kept
