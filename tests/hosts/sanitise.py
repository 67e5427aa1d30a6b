"""Makes a recording of a client fit to be kept: no place of the machine, none of the vendor's long texts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

HOME = "/home/dev"  # what the recording's folder is called afterwards
LONGEST = 90  # characters of a text that the client's vendor wrote
MOST = 4  # entries of a list that the vendor wrote

# Claude Code's rows, and parts of rows, that hold the vendor's prompts and tool descriptions.
VENDOR_ROWS = {"api-request", "api-request-blob", "api-request-shape", "cost-state"}
VENDOR_PARTS = {
    "systemPrompt",
    "rendered",
    "sections",
    "toolsAdded",
    "systemMessage",
    "addedLines",
    "addedBlocks",
}
VENDOR_ATTACHMENTS = {
    "skill_listing",
    "prompt_snapshot",
    "deferred_tools_delta",
    "agent_listing_delta",
    "model",
}


def sanitise(data: bytes, work: Path) -> bytes:
    """The recording with `work` called `HOME`, and the vendor's texts cut."""
    encoded = re.sub("[^a-zA-Z0-9]", "-", str(work))
    text = data.decode("utf-8").replace(str(work), HOME).replace(encoded, HOME.replace("/", "-"))
    text = re.sub(r"Linux \d+\.\d+\.\d+[\w.-]*", "Linux 6.1.0", text)
    lines = [_line(line) for line in text.split("\n")]
    return "\n".join(lines).encode("utf-8")


def _line(line: str) -> str:
    if not line:
        return line
    row = json.loads(line)
    attachment = row.get("attachment") or {}
    whole = row.get("type") in VENDOR_ROWS or attachment.get("type") in VENDOR_ATTACHMENTS
    return json.dumps(_cut(row, whole), ensure_ascii=False, separators=(",", ":"))


def _cut(value: Any, vendor: bool) -> Any:
    if isinstance(value, str):
        own = "ZMARK" in value  # what the recording itself put there is kept
        return value[:LONGEST] + "…" if vendor and not own and len(value) > LONGEST else value
    if isinstance(value, list):
        return [_cut(item, vendor) for item in (value[:MOST] if vendor else value)]
    if isinstance(value, dict):
        return {key: _cut(item, vendor or key in VENDOR_PARTS) for key, item in value.items()}
    return value
