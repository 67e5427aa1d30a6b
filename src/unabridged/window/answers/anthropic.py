"""Answers of Anthropic Messages: blocks of every type, known or not, with the deltas that fill them."""

from __future__ import annotations

from unabridged.window.answers.contract import Answer, Json, compact, inner, objects, parsed, texts

# What a delta adds to which member of its block; an `input_json_delta` is the input's JSON in pieces.
TEXTS = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "compaction_delta": "content",
}
INPUT, CITATION = "input_json_delta", "citations_delta"


class AnthropicAnswer:
    """Puts one message together."""

    def __init__(self) -> None:
        """Begin without anything."""
        self._blocks = dict[int, Json]()
        self._inputs = dict[int, list[str]]()
        self._texts = dict[int, dict[str, list[str]]]()
        self._citations = dict[int, list[object]]()
        self._usage: Json = {}
        self._message, self._error = "", ""
        self._ended = False

    def event(self, data: Json) -> None:
        """Take one event."""
        kind = texts(data, "type")
        at = data.get("index", 0)
        if kind == "message_start":
            message = inner(data, "message")
            self._message = texts(message, "id")
            self._usage.update(inner(message, "usage"))
        elif kind == "content_block_start" and isinstance(at, int):
            self._blocks[at] = dict(inner(data, "content_block"))
        elif kind == "content_block_delta" and isinstance(at, int):
            self._delta(at, inner(data, "delta"))
        elif kind == "message_delta":
            self._usage.update({name: one for name, one in inner(data, "usage").items() if one is not None})
        elif kind == "message_stop":
            self._ended = True
        elif kind == "error":
            self._error = texts(inner(data, "error"), "type") or "error"

    def whole(self, data: Json) -> None:
        """Take a message that was not streamed."""
        self._message, self._usage, self._ended = texts(data, "id"), inner(data, "usage"), True
        self._blocks = dict(enumerate(objects(data, "content")))
        if data.get("type") == "error":
            self._error = texts(inner(data, "error"), "type") or "error"

    def answer(self) -> Answer:
        """Return the message as one item."""
        blocks = [self._block(at) for at in sorted(self._blocks)]
        items = ({"role": "assistant", "content": blocks},) if blocks else ()
        usage = compact(self._usage) if self._usage else b""
        return Answer(items, self._message, usage, not self._ended, self._error)

    def _delta(self, at: int, delta: Json) -> None:
        block = self._blocks.get(at)
        kind = texts(delta, "type")
        if block is None:
            return
        if kind == INPUT:
            self._inputs.setdefault(at, []).append(texts(delta, "partial_json"))
        elif kind == CITATION:
            self._citations.setdefault(at, []).append(delta.get("citation"))
        elif kind in TEXTS:
            self._texts.setdefault(at, {}).setdefault(TEXTS[kind], []).append(texts(delta, TEXTS[kind]))

    def _block(self, at: int) -> Json:
        block = dict(self._blocks[at])
        for name, pieces in self._texts.get(at, {}).items():
            block[name] = texts(block, name) + "".join(pieces)
        if at in self._citations:
            before = block.get("citations")
            block["citations"] = [*(before if isinstance(before, list) else ()), *self._citations[at]]
        given = "".join(self._inputs.get(at, ()))
        if given:
            block["input"] = parsed(given)
        return block
