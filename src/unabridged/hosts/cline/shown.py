"""How a message reads that was shown to the person: `ui_messages.json`, where nothing else is left of a task."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from unabridged.hosts.blocks import Part, Path, placeholder
from unabridged.hosts.calls import base64_size
from unabridged.hosts.cline.parts import Said
from unabridged.hosts.cline.rows import Message
from unabridged.hosts.contract import MediaRef, Ref
from unabridged.schema.records import ERROR, HIDDEN, HUMAN, META

PERSONS = frozenset(("task", "user_feedback", "user_feedback_diff"))
MODELS = frozenset(("text", "completion_result", "followup", "plan_mode_respond"))
CALLS = frozenset(("tool", "command", "browser_action", "use_mcp_server", "mcp_server_request_started"))
RESULTS = frozenset(
    ("command_output", "browser_action_result", "mcp_server_response", "codebase_search_result")
)
UNREAD = frozenset(  # accounts of requests and of the host's own work
    (
        "api_req_started",
        "api_req_finished",
        "api_req_retried",
        "api_req_deleted",
        "checkpoint_created",
        "checkpoint_saved",
        "deleted_api_reqs",
        "resume_task",
        "resume_completed_task",
        "shell_integration_warning",
        "task_progress",
    )
)


def shown_parts(message: Message, path: Path) -> list[Said]:
    """Return the blocks of a message that stands at `path`."""
    what = message.say or message.ask or ""
    found: list[Said] = []
    if what == "reasoning":
        found.append(Said("", Part("reasoning", "assistant", (), HIDDEN)))
    elif message.text and what not in UNREAD:
        part = Part("text", "assistant", (Ref((*path, "text"), message.text),))
        found.append(Said("", msgspec.structs.replace(part, **_read_as(what))))
    images: Any = message.images
    for index, image in enumerate(cast("list[Any]", images) if isinstance(images, list) else []):
        if isinstance(image, str) and image:
            mime = image[5:105].partition(";")[0] if image.startswith("data:") else ""
            media = MediaRef(mime, base64_size(image), (*path, "images", index))
            part = Part("image", "user", (placeholder("image", media),), HUMAN, media=(media,))
            found.append(Said(f"#image{index}", part))
    return found


def _read_as(what: str) -> dict[str, Any]:
    if what in PERSONS:
        return {"role": "user", "flags": HUMAN}
    if what in MODELS:
        return {}
    if what in CALLS:
        return {"kind": "tool-call", "tool": what}
    if what in RESULTS:
        return {"kind": "tool-result", "role": "tool", "tool": what.removesuffix("_output")}
    return {"role": "system", "flags": META | (ERROR if "error" in what else 0)}
