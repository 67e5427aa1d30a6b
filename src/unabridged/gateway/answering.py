"""What the gateway itself says to a client: errors in a form that clients of every provider read."""

from __future__ import annotations

import json

from unabridged.daemon.origins import Refusal
from unabridged.gateway.bodies import Send
from unabridged.gateway.headers import FAULT

# What a client is told, by the reason of a refusal. Reasons that are missing here are told to nobody.
SAID = {
    "size": ("request_too_large", "the request is larger than the gateway's setting gateway.body_bytes"),
    "slow": ("timeout_error", "the request took too long to arrive"),
    "bodies": ("overloaded_error", "too many requests are being read at once"),
    "websocket": ("invalid_request_error", "the gateway speaks HTTP, not WebSocket"),
    "upstream-unreachable": ("api_error", "the provider cannot be reached"),
    "upstream-slow": ("timeout_error", "the provider did not answer in time"),
    "upstream-broke": ("api_error", "the provider ended the connection before it answered"),
    "upstream-redirect": ("api_error", "the provider answered with a redirect, which is not followed"),
}


async def refuse(refusal: Refusal, send: Send, fault: str = "") -> None:
    """Answer that a request is not served, and end the connection; `fault`: what of ours had failed before."""
    told = SAID.get(refusal.reason)
    body = b""
    headers = [(b"connection", b"close"), *refusal.headers]
    if told:
        kind, message = told
        error = {"type": kind, "code": refusal.reason, "message": f"unabridged: {message}"}
        body = json.dumps({"type": "error", "error": error}).encode()
        headers.append((b"content-type", b"application/json"))
    headers.append((b"content-length", str(len(body)).encode()))
    if fault:
        headers.append((FAULT, fault.encode()))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
