"""The maintained rule set."""

from __future__ import annotations

from unabridged.archive.redact import (
    rules_cloud,
    rules_forges,
    rules_models,
    rules_payments,
    rules_services,
    rules_shapes,
)
from unabridged.archive.redact.rule import Rule

RULESET_VERSION = 9
"""Raised whenever what is redacted changes, be it by a rule or by the code that judges: every event keeps the version
it was redacted with, so that what older rules let through can be found and scanned again."""

RULES: tuple[Rule, ...] = (
    rules_shapes.RULES
    + rules_cloud.RULES
    + rules_forges.RULES
    + rules_models.RULES
    + rules_payments.RULES
    + rules_services.RULES
    + rules_cloud.VALUES
    + rules_forges.VALUES
    + rules_models.VALUES
    + rules_payments.VALUES
    + rules_services.VALUES
)
"""Every rule but the ones for assignments (`names.py`); where two match one place, the longer match names the kind."""
