"""The settings of the gateway: where requests go, and what it does beside passing them on."""

from __future__ import annotations

from unabridged.daemon.setting import Setting


def _not_offered(a: str, b: str) -> bool:
    return a == "off" or a == b


GATEWAY = (
    Setting(
        "gateway.upstreams",
        dict,
        {},
        "Base addresses of providers by name (`anthropic`, `openai`), where they are not the providers' own; "
        "requests go to these and nowhere else.",
        each=Setting("", str, "", "An address: `https://…`."),
    ),
    Setting(
        "gateway.tools",
        str,
        "off",
        "Whether the model is offered the archive's own tools in clients that have no MCP server of ours.",
        choices=("off", "offer"),
        tighter=_not_offered,
    ),
    Setting(
        "gateway.body_bytes",
        int,
        64 << 20,
        "Bytes that one request to a model may have.",
        low=1 << 20,
        high=1 << 30,
    ),
)
