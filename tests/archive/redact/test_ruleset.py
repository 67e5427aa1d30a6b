"""The version of the rules rises whenever they change."""

from __future__ import annotations

import pytest

from tests.archive.redact import ruleset
from unabridged.archive.redact import RULESET_VERSION

PLAIN = "KEY = 'a[0-9]'\ndef find(text):\n    return text\n"


def test_rules_that_changed_have_a_new_version() -> None:
    recorded = ruleset.load()
    assert max(map(int, recorded)) == RULESET_VERSION, "record it: python -m tests.archive.redact.ruleset"
    assert recorded[str(RULESET_VERSION)] == ruleset.digests(), (
        "What is redacted may have changed: raise RULESET_VERSION, then record it with "
        "`python -m tests.archive.redact.ruleset`. Where it certainly did not, record it with `--unchanged`."
    )


@pytest.mark.parametrize(
    "changed",
    [
        PLAIN.replace("9]", "8]"),
        PLAIN.replace("return text", "return text[1:]"),
        PLAIN.replace("return text", "return texts"),
        PLAIN.replace("text", "words"),
        PLAIN + "KEYS = (KEY,)\n",
    ],
)
def test_a_digest_tells_every_change_of_code(changed: str) -> None:
    assert ruleset.source_digest(changed) != ruleset.source_digest(PLAIN)


def test_layout_and_comments_and_the_words_of_a_docstring_and_the_version_do_not_count() -> None:
    one = f"RULESET_VERSION = 1\n'Raised.'\n{PLAIN}"
    other = f"# A comment.\nRULESET_VERSION = 2\n'Risen.'\n\n{PLAIN.replace('= ', '=  ')}"
    assert ruleset.source_digest(one) == ruleset.source_digest(other)
