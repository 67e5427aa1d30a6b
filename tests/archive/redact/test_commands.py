"""A command is suspicious before those of its parts are taken out that print nothing, or not at all."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from unabridged.archive.redact.commands import _SILENT_SUBSTITUTION
from unabridged.archive.redact.files import suspicious

PARTS = st.sampled_from(
    [
        *("export $(cat .env | xargs)", "env `x`", "local $(y)", "set -a; . $(z)", "declare -x `w`"),
        *(".pem", "credentials", ".json", ".env", "id_rsa", "secret", ".ssh", ".aws/"),
        *" /.+-a_)`'\n",
    ]
)


@given(st.lists(PARTS, max_size=8))
@example(["x", ".pem", "+", "export $(cat .env | xargs)", "credentials", ".json"])
def test_taking_silent_parts_out_makes_nothing_suspicious(parts: list[str]) -> None:
    command = "".join(parts)
    assert suspicious(command) or not suspicious(_SILENT_SUBSTITUTION.sub(" ", command))
