"""What must not be kept?"""

from unabridged.archive.redact.engine import Redactor
from unabridged.archive.redact.rule import Finding, Rule
from unabridged.archive.redact.rules import RULES, RULESET_VERSION

__all__ = ["RULES", "RULESET_VERSION", "Finding", "Redactor", "Rule"]
