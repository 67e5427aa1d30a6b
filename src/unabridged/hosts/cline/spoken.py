"""What a text of Cline, Roo Code or Kilo Code says, by whom.

Without tools of the provider, a model writes its calls into its text as XML, and the host answers in texts of the next
message: `[read_file for 'a.py'] Result:`, then the result. Around what a person types the host puts tags, and behind it
what it tells of the editor.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from unabridged.hosts.calls import OWN_NAME, is_own_command
from unabridged.schema.records import ERROR, HIDDEN, HUMAN, META

TOOLS = (
    "access_mcp_resource",
    "apply_diff",
    "ask_followup_question",
    "attempt_completion",
    "browser_action",
    "codebase_search",
    "condense",
    "delete_file",
    "edit_file",
    "execute_command",
    "fetch_instructions",
    "generate_image",
    "insert_content",
    "list_code_definition_names",
    "list_files",
    "load_mcp_documentation",
    "new_rule",
    "new_task",
    "plan_mode_respond",
    "plan_mode_response",
    "read_file",
    "replace_in_file",
    "report_bug",
    "run_slash_command",
    "search_and_replace",
    "search_files",
    "switch_mode",
    "update_todo_list",
    "use_mcp_tool",
    "web_fetch",
    "web_search",
    "write_to_file",
)
SPEECH = {
    "attempt_completion": "result",
    "ask_followup_question": "question",
    "plan_mode_respond": "response",
    "plan_mode_response": "response",
}
MAX_PATHS = 32  # files that one call names

_CALL = re.compile(rf"^[ \t]*<({'|'.join(TOOLS)}|thinking)>", re.MULTILINE)
_PATH = re.compile(r"<path>\s*([^<>\n]{1,1024}?)\s*</path>")
_COMMAND = re.compile(r"<command>(.{0,2000}?)</command>", re.DOTALL)
_SERVER = re.compile(r"<server_name>([^<]{1,200})</server_name>")
_RESULT = re.compile(r"\[(\w{1,80})(?:\]| for |\. )[^\n]{0,4000}?\]? Result:")
_REFUSED = re.compile(r"Tool \[(\w{1,80})\] was not executed")
_TYPED = re.compile(
    r"\s*<(user_input|task|feedback|answer|user_message)(?: [^>]{0,200})?>\n?(.*?)\n?</\1>\s*", re.DOTALL
)
_DETAILS, _DETAILS_END = "<environment_details>", "</environment_details>"
# Beginnings of texts that the host puts into a person's message.
HOSTS_TEXTS = (
    "<environment_details>",
    "<explicit_instructions",
    "<file_content",
    "<folder_content",
    "<final_file_content",
    "<hook_context",
    "<mode_notice",
    "<slash_command",
    "<system-reminder",
    "<terminal_output",
    "<url_content",
    "# task_progress",
    "[ERROR]",
    "[TASK RESUMPTION]",
    "[Response interrupted",
    "The user has provided feedback on the results",
    "The user denied this operation",
    "This task was interrupted",
)


class Results:
    """Which call the texts of a message answer; `native`: the message calls tools by the provider's own way."""

    def __init__(self, *, native: bool = False) -> None:
        """Nothing is answered yet."""
        self.native = native
        self.tool = ""


class Heard(NamedTuple):
    """A part of a text."""

    text: str
    kind: str
    role: str
    flags: int = 0
    tool: str = ""
    paths: tuple[str, ...] = ()
    own: bool = False


def by_model(text: str, *, native: bool) -> list[Heard]:
    """Return the texts, thoughts and calls of an answer in order."""
    found: list[Heard] = []
    at = 0
    while not native:
        mark = _CALL.search(text, at)
        if mark is None:
            break
        _add(found, text[at : mark.start()])
        tool = mark[1]
        end = text.find(f"</{tool}>", mark.end())
        inner = text[mark.end() : end if end >= 0 else len(text)]
        at = end + len(tool) + 3 if end >= 0 else len(text)
        if tool == "thinking":
            found.append(Heard("", "reasoning", "assistant", HIDDEN))
        else:
            found.append(_called(tool, inner))
    _add(found, text[at:])
    return found


def _add(found: list[Heard], text: str) -> None:
    if text.strip():
        found.append(Heard(text, "text", "assistant"))


def _called(tool: str, inner: str) -> Heard:
    spoken = SPEECH.get(tool)
    if spoken:
        said = re.search(rf"<{spoken}>\n?(.*?)\n?(?:</{spoken}>|$)", inner, re.DOTALL)
        if said and said[1].strip():
            return Heard(said[1], "text", "assistant")
    paths = tuple(dict.fromkeys(_PATH.findall(inner)))[:MAX_PATHS]
    command, server = _COMMAND.search(inner), _SERVER.search(inner)
    own = bool(server and OWN_NAME in server[1].lower()) or bool(command and is_own_command(command[1]))
    return Heard(f"{tool}\n{inner.strip()}", "tool-call", "assistant", 0, tool, paths, own)


def by_user(text: str, results: Results) -> list[Heard]:
    """Return what a person says, what tools answered, what the host adds."""
    front, details = _without_details(text)
    found: list[Heard] = []
    if front.strip():
        found.append(_heard(front, results))
    if details:
        found.append(Heard(details, "text", "user", META))
    return found


def _without_details(text: str) -> tuple[str, str]:
    if not text.rstrip().endswith(_DETAILS_END):
        return text, ""
    at = text.rfind(_DETAILS)
    return (text[:at], text[at:]) if at >= 0 else (text, "")


def _heard(text: str, results: Results) -> Heard:
    refused, begun = _REFUSED.match(text), _RESULT.match(text)
    if refused:
        return Heard(text, "tool-result", "tool", ERROR, refused[1])
    if begun:
        results.tool = begun[1]
    typed = _TYPED.fullmatch(text)
    if typed:
        return Heard(typed[2], "text", "user", HUMAN)
    if results.tool:
        return Heard(text, "tool-result", "tool", 0, results.tool)
    if text.lstrip().startswith(HOSTS_TEXTS):
        return Heard(text, "text", "user", META)
    return Heard(text, "text", "user", HUMAN)
