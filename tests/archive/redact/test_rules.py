"""The rule set as data: complete, consistent with itself."""

from __future__ import annotations

import json

import pytest

from tests.archive.redact.samples import sample
from tests.archive.redact.secrets import PASSWORD, PRIVATE_KEY, line
from unabridged.archive.redact import RULES, Redactor, Rule
from unabridged.archive.redact.rule import WORD

REDACTOR = Redactor.compile()
# The checks of these look at more than the text that the pattern describes.
CONTEXTUAL = {
    "basic",
    "login",
    "curl",
    "pgpass",
    "pem",
    "k8s",
    "cased",
    "sql",
    "jwk",
    "psk",
    "kty",
    "cookies",
}
# These only lead to what other rules judge: `test_objects.py` has their cases.
LEADING = {"pairs", "argv"}
SHAPES = [rule for rule in RULES if rule.where == "text" and rule.check not in CONTEXTUAL | LEADING]
VALUES = [rule for rule in RULES if rule.where == "value"]


def test_the_set_covers_well_over_a_hundred_kinds_of_credentials() -> None:
    assert len({rule.kind for rule in RULES}) > 200


def test_names_of_rules_are_unique() -> None:
    names = [rule.name for rule in RULES]
    assert len(names) == len(set(names))


def test_a_kind_is_a_word_that_no_rule_takes_for_a_secret() -> None:
    for rule in RULES:
        mark = f"[redacted:{rule.kind}]"
        for text in (mark, f"password={mark}", f'"api_key": "{mark}"', f"https://bob:{mark}@host/"):
            assert REDACTOR.text(text) == (text, ()), rule


@pytest.mark.parametrize("rule", SHAPES, ids=lambda rule: rule.name)
def test_a_rule_finds_what_its_own_pattern_describes(rule: Rule) -> None:
    for seed in range(4):
        secret = sample(rule.pattern, seed).encode("latin-1").decode()
        if rule.check in ("mixed", "random") and sum(map(str.isdigit, secret)) < 3:
            continue  # one such text in many looks like a name
        if rule.group == WORD:
            secret += "h7Gk2-pQ9z"
        for text in (f"it is {secret} they say", f"x\n{secret}\n", f'export A="{secret}"'):
            kept, found = REDACTOR.text(text)
            assert found, (rule.name, text)
            assert "[redacted:" in kept
        line = json.dumps({"a": [f"see {secret} there", secret]}).encode() + b"\n"
        kept, found = REDACTOR.line(line)
        assert sum(finding.count for finding in found) >= 2, (rule.name, line)
        json.loads(kept)


@pytest.mark.parametrize("rule", VALUES, ids=lambda rule: rule.name)
def test_a_rule_for_values_knows_its_vendor_by_the_name(rule: Rule) -> None:
    for keyword in rule.keywords:
        name = keyword.replace(" ", "_").replace("-", "_").strip("_").upper() + "_API_KEY"
        secret = next(
            text for text in (sample(rule.pattern, n) for n in range(9)) if any(map(str.isdigit, text))
        )
        for text in (f"{name}={secret}", f'{name.lower()} = "{secret}"', f"{name.lower()}: {secret}"):
            kept, found = REDACTOR.text(text)
            assert secret not in kept, (rule.name, text)
            assert found


CONTEXTS = {
    "pem-private-key": PRIVATE_KEY,
    "kubernetes-secret": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  some: Zm9vYmFyYmF6\n",
    "url-password": f"postgres://bob:{PASSWORD}@db.host/x",
    "oracle-password": f"jdbc:oracle:thin:bob/{PASSWORD}@host:1521",
    "curl-user": f"curl -u bob:{PASSWORD} https://host",
    "basic-auth-header": "Proxy: Basic " + "Ym9iOlRyMHVi" + "NGRvci14OQ==",
    "curl-cookie": f"curl -b sid={PASSWORD} https://host",
    "wireless-key": f'psk="{PASSWORD}"',
    "mandrill-key": "md-" + "ZbgmTmrpRRJx" + "gwtaPFAK_e",
    "sql-identified-by": f"create user bob identified by '{PASSWORD}'",
    "json-web-key": '{"kty": "EC", "d": "' + "Zm9vYmFyYmF6Zm9vYmFy" + "YmF6Zm9vYmFyYmF6Zm9vYg" + '"}',
    "json-web-key-object": '{"kty": "oct", "k": "' + "Zm9vYmFyYmF6Zm9vYmFy" + "YmF6Zm9vYmFyYmF6Zm9vYg" + '"}',
    "cookie-object": '{"name": "sid", "httpOnly": true, "value": "' + "a1B2c3D4e5F6g7H8" + '"}',
    "pgpass-entry": f"db.host:5432:app:bob:{PASSWORD}",
}


@pytest.mark.parametrize(("name", "text"), CONTEXTS.items(), ids=CONTEXTS)
def test_a_rule_that_looks_around_finds_its_case(name: str, text: str) -> None:
    assert [finding.rule for finding in REDACTOR.text(text)[1]] == [name]
    assert [finding.rule for finding in REDACTOR.line(line({"a": text}))[1]] == [name]


def test_every_rule_for_shapes_is_tried_here() -> None:
    assert {rule.name for rule in RULES if rule.check in CONTEXTUAL} == set(CONTEXTS)
