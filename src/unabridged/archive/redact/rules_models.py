"""Credentials of model providers, of the services around them."""

from __future__ import annotations

from unabridged.archive.redact.rule import Rule, text, value

_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"

RULES: tuple[Rule, ...] = (
    text("anthropic-key", "anthropic-key", r"sk-ant-[A-Za-z0-9_-]{16,}", "sk-ant-", peek="[A-Za-z0-9_-]{8}"),
    text(
        "openai-project-key",
        "openai-key",
        r"sk-(?:proj|svcacct|admin|None|service)-[A-Za-z0-9_-]{16,}",
        "sk-proj-",
        "sk-svcacct-",
        "sk-admin-",
        "sk-None-",
        "sk-service-",
        check="random",
    ),
    text("openrouter-key", "openrouter-key", r"sk-or-(?:v1-)?[A-Za-z0-9]{32,}", "sk-or-"),
    text("langfuse-key", "langfuse-key", r"sk-lf-[a-f0-9-]{30,}", "sk-lf-"),
    text("helicone-key", "helicone-key", r"sk-helicone-[A-Za-z0-9-]{20,}", "sk-helicone-"),
    text(
        "openai-key",
        "openai-key",
        r"sk-[A-Za-z0-9_-]{16,}",
        "sk-",
        peek="(?:[A-Za-z_-]{0,24}[0-9]){2}",
        check="random",
    ),
    text(
        "openai-session-key",
        "openai-key",
        r"sess-[A-Za-z0-9]{32,}",
        "sess-",
        peek="[A-Za-z0-9]{20}",
        check="random",
    ),
    text("groq-key", "groq-key", r"gsk_[A-Za-z0-9]{36,}", "gsk_", peek="[A-Za-z0-9]{12}"),
    text("xai-key", "xai-key", r"xai-[A-Za-z0-9]{40,}", "xai-", peek="[A-Za-z0-9]{12}"),
    text("perplexity-key", "perplexity-key", r"pplx-[A-Za-z0-9]{32,}", "pplx-", peek="[A-Za-z0-9]{12}"),
    text("replicate-token", "replicate-token", r"r8_[A-Za-z0-9]{30,}", "r8_", peek="[A-Za-z0-9]{12}"),
    text("together-key", "together-key", r"tgp_v1_[A-Za-z0-9_-]{36,}", "tgp_v1_"),
    text(
        "fireworks-key", "fireworks-key", r"fw_[A-Za-z0-9]{20,}", "fw_", peek="[A-Za-z0-9]{16}", check="mixed"
    ),
    text("cerebras-key", "cerebras-key", r"csk-[a-z0-9]{36,}", "csk-", peek="[a-z0-9]{12}"),
    text("nvidia-key", "nvidia-key", r"nvapi-[A-Za-z0-9_-]{40,}", "nvapi-"),
    text(
        "langsmith-key", "langsmith-key", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}", "lsv2_pt_", "lsv2_sk_"
    ),
    text("langsmith-legacy-key", "langsmith-key", r"ls__[a-f0-9]{32}", "ls__", peek="[a-f0-9]{12}"),
    text("pinecone-key", "pinecone-key", r"pcsk_[A-Za-z0-9_]{40,}", "pcsk_", peek="[A-Za-z0-9_]{12}"),
    text("elevenlabs-key", "elevenlabs-key", r"sk_[a-f0-9]{48}", "sk_", peek="[a-f0-9]{20}"),
    text(
        "voyage-key",
        "voyage-key",
        r"pa-[A-Za-z0-9_-]{40,}",
        "pa-",
        peek="[A-Za-z0-9_-]{36}",
        strict=True,
        check="random",
    ),
    text("tavily-key", "tavily-key", r"tvly-[A-Za-z0-9_-]{20,}", "tvly-", peek="[A-Za-z0-9_-]{8}"),
    text("firecrawl-key", "firecrawl-key", r"fc-[a-f0-9]{32}", "fc-", peek="[a-f0-9]{16}"),
    text("jina-key", "jina-key", r"jina_[A-Za-z0-9_-]{36,}", "jina_", peek="[A-Za-z0-9_-]{12}"),
    text(
        "brave-search-key",
        "brave-search-key",
        r"BSA[A-Za-z0-9_-]{24,32}",
        "BSA",
        peek="[A-Za-z0-9_-]{24}",
        strict=True,
        check="random",
    ),
    text("e2b-key", "e2b-key", r"e2b_[a-f0-9]{40}", "e2b_", peek="[a-f0-9]{8}"),
    text(
        "modal-token",
        "modal-token",
        r"a[ks]-[A-Za-z0-9]{22}",
        "ak-",
        "as-",
        peek="[A-Za-z0-9]{20}",
        strict=True,
        check="mixed",
    ),
    text("runpod-key", "runpod-key", r"rpa_[A-Z0-9]{36,}[a-z0-9]*", "rpa_", peek="[A-Z0-9]{12}"),
    text("cursor-key", "cursor-key", r"(?:crsr|key)_[a-f0-9]{60,}", "crsr_", "key_", peek="[a-f0-9]{30}"),
    text("wandb-key", "wandb-key", r"wandb_v1_[A-Za-z0-9_]{40,}", "wandb_v1_"),
    text("context7-key", "context7-key", r"ctx7sk-[A-Za-z0-9-]{20,}", "ctx7sk-"),
    text("you-key", "you-key", r"ydc-sk-[A-Za-z0-9-]{20,}", "ydc-sk-"),
    text(
        "baseten-key",
        "baseten-key",
        r"Api-Key ([A-Za-z0-9]{8}\.[A-Za-z0-9]{32})",
        "Api-Key ",
        group=1,
        peek=r"[A-Za-z0-9]{8}\.",
    ),
    text(
        "composio-key",
        "composio-key",
        r"u?ak_[A-Za-z0-9_-]{20,}",
        "uak_",
        "ak_",
        peek="[A-Za-z0-9_-]{20}",
        strict=True,
        check="random",
    ),
    text(
        "svix-webhook-secret",
        "webhook-secret",
        r"whsec_[A-Za-z0-9+/=_-]{20,}",
        "whsec_",
        peek="[A-Za-z0-9+/=_-]{8}",
    ),
)

VALUES: tuple[Rule, ...] = (
    value("cohere-key", "cohere-key", r"[A-Za-z0-9]{40}", "cohere", "co_api_key"),
    value("mistral-key", "mistral-key", r"[A-Za-z0-9]{32}", "mistral", "codestral"),
    value("together-legacy-key", "together-key", r"[a-f0-9]{64}", "together"),
    value("pinecone-uuid-key", "pinecone-key", _UUID, "pinecone"),
    value("deepgram-key", "deepgram-key", r"[a-f0-9]{40}", "deepgram"),
    value("assemblyai-key", "assemblyai-key", r"[a-f0-9]{32}", "assemblyai"),
    value("wandb-legacy-key", "wandb-key", r"[a-f0-9]{40}", "wandb", "weights"),
    value("serper-key", "serper-key", r"[a-f0-9]{40}|[a-f0-9]{64}", "serper", "serpapi"),
    value("exa-key", "exa-key", _UUID, "exa_", "exa-", "exa api"),
    value("zhipu-key", "zhipu-key", r"[a-f0-9]{32}\.[A-Za-z0-9]{16}", "zhipu", "zai", "glm", "bigmodel"),
    value("ai21-key", "ai21-key", r"[A-Za-z0-9]{32}", "ai21"),
    value("clarifai-key", "clarifai-key", r"[a-f0-9]{32}", "clarifai"),
)
