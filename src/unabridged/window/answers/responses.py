"""Answers of OpenAI Responses: output items, each taken as the provider says it is done."""

from __future__ import annotations

from unabridged.window.answers.contract import Answer, Json, compact, inner, objects, texts

ENDED = ("response.completed", "response.incomplete", "response.failed")
DELTAS = {
    "response.output_text.delta": "text",
    "response.refusal.delta": "refusal",
}
ARGUMENTS = {
    "response.function_call_arguments.delta": "arguments",
    "response.custom_tool_call_input.delta": "input",
    "response.mcp_call_arguments.delta": "arguments",
}


class ResponsesAnswer:
    """Puts one response together."""

    def __init__(self) -> None:
        """Begin without anything."""
        self._items = dict[int, Json]()  # done
        self._begun = dict[int, Json]()
        self._pieces = dict[int, dict[tuple[int, str], list[str]]]()
        self._message, self._error = "", ""
        self._usage: Json = {}
        self._ended = False

    def event(self, data: Json) -> None:
        """Take one event."""
        kind, at = texts(data, "type"), data.get("output_index") or 0
        if not isinstance(at, int):
            return
        if kind == "response.output_item.done":
            self._items[at] = inner(data, "item")
        elif kind == "response.output_item.added":
            self._begun[at] = inner(data, "item")
        elif kind in DELTAS or kind in ARGUMENTS:
            part = data.get("content_index", 0)
            name = DELTAS.get(kind) or ARGUMENTS[kind]
            place = (part if isinstance(part, int) else 0, name)
            self._pieces.setdefault(at, {}).setdefault(place, []).append(texts(data, "delta"))
        elif kind in ENDED:
            self._response(inner(data, "response"))
            self._ended = kind != "response.failed"
        elif kind == "response.created":
            self._message = texts(inner(data, "response"), "id")
        elif kind == "error":
            self._error = texts(data, "code") or "error"

    def whole(self, data: Json) -> None:
        """Take a response that was not streamed; also what a call to compact answers."""
        self._response(data)
        self._ended = True

    def answer(self) -> Answer:
        """Return the output items; one that was not done as far as it came."""
        found = {**{at: self._unfinished(at) for at in self._begun}, **self._items}
        items = tuple(found[at] for at in sorted(found) if found[at])
        usage = compact(self._usage) if self._usage else b""
        return Answer(items, self._message, usage, not self._ended, self._error)

    def _response(self, data: Json) -> None:
        self._message = texts(data, "id") or self._message
        self._usage = inner(data, "usage") or self._usage
        self._error = texts(inner(data, "error"), "code") or self._error
        for at, item in enumerate(objects(data, "output")):
            self._items.setdefault(at, item)

    def _unfinished(self, at: int) -> Json:
        item, parts = dict(self._begun[at]), dict[int, Json]()
        for (part, name), pieces in self._pieces.get(at, {}).items():
            said = "".join(pieces)
            if name in ("arguments", "input"):
                item[name] = said
            else:
                kind = "output_text" if name == "text" else name
                parts[part] = {"type": kind, name: said}
        if parts:
            item["content"] = [parts[part] for part in sorted(parts)]
        return item
