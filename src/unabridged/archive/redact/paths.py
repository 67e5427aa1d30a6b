"""Reads of sensitive files."""

from unabridged.archive.redact.commands import masks_output
from unabridged.archive.redact.files import MASKED_OUTPUT, sensitive_path

__all__ = ["MASKED_OUTPUT", "masks_output", "sensitive_path"]
