"""Credentials of clouds, hosting, infrastructure tools, secret stores."""

from __future__ import annotations

from unabridged.archive.redact.rule import Rule, text, value

_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"

AMAZON: tuple[Rule, ...] = (
    text(
        "aws-access-key-id",
        "aws-access-key",
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",
        "AKIA", "ASIA", "ABIA", "ACCA",
        peek="[A-Z0-9]{6}",
        strict=True,
    ),
    text(
        "aws-session-token",
        "aws-session-token",
        r"(?:IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz|FQoDYXdz|AQoDYXdz)[A-Za-z0-9/+=%_-]{40,}",
        "IQoJb3JpZ2lu", "FwoGZXIvYXdz", "FQoGZXIvYXdz", "FQoDYXdz", "AQoDYXdz",
    ),
    text(
        "aws-presigned-signature",
        "aws-signature",
        r"(?i)X-Amz-(?:Signature|Security-Token)(?:=|%3D)([A-Za-z0-9/+%_=-]{32,})",
        "X-Amz-Signature", "X-Amz-Security-Token", "x-amz-signature", "x-amz-security-token",
        group=1,
    ),
    text(
        "aws-sigv4-signature",
        "aws-signature",
        r"Signature=([0-9a-f]{64})",
        "Signature=",
        group=1,
        peek="[0-9a-f]{8}",
    ),
    text("aws-mws-token", "aws-mws-token", r"amzn\.mws\.[0-9a-f-]{30,40}", "amzn.mws."),
    text("aws-bedrock-key", "aws-bedrock-key", r"ABSK[A-Za-z0-9+/]{90,}={0,2}", "ABSK", peek="[A-Za-z0-9+/]{12}"),
    text(
        "aws-bedrock-short-term-key",
        "aws-bedrock-key",
        r"bedrock-api-key-[A-Za-z0-9+/=]{40,}",
        "bedrock-api-key-",
    ),
    text("aws-appsync-key", "aws-appsync-key", r"da2-[a-z0-9]{26}", "da2-", peek="[a-z0-9]{8}"),
    text("aws-cognito-refresh", "aws-cognito-token", r"(?i)Atz[ar]\|[A-Za-z0-9_-]{40,}", "Atza|", "atza|", "Atzr|"),
)

GOOGLE: tuple[Rule, ...] = (
    text("gcp-api-key", "gcp-api-key", r"AIza[0-9A-Za-z_-]{30,40}", "AIza", peek="[0-9A-Za-z_-]{6}", strict=True),
    text("gcp-oauth-access-token", "google-oauth-token", r"ya29\.[0-9A-Za-z._-]{20,}", "ya29."),
    text("gcp-oauth-refresh-token", "google-oauth-token", r"1//0[0-9A-Za-z_-]{30,}", "1//0", peek="[0-9A-Za-z_-]{8}"),
    text("gcp-oauth-client-secret", "google-client-secret", r"GOCSPX-[0-9A-Za-z_-]{20,}", "GOCSPX-"),
    text(
        "gcp-hmac-key",
        "gcp-hmac-key",
        r"GOOG1?[A-Z0-9]{19,60}",
        "GOOG1",
        peek="[A-Z0-9]{8}",
        strict=True,
        check="mixed",
    ),
    text(
        "firebase-messaging-key",
        "firebase-key",
        r"AAAA[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{100,}",
        "AAAA", anchor=r"AAAA[A-Za-z0-9_-]{7}:A",
    ),
    text(
        "google-chat-webhook",
        "google-chat-webhook",
        r"chat\.googleapis\.com\\*/v1\\*/spaces\\*/[A-Za-z0-9_-]+\\*/messages\?([^\s\"'<>\\]{20,})",
        "chat.googleapis.com",
        group=1,
    ),
)

AZURE: tuple[Rule, ...] = (
    text(
        "azure-storage-key",
        "azure-storage-key",
        r"(?i)(?:AccountKey|SharedAccessKey|SharedSecretKey)(?:=|\\*u003d)([A-Za-z0-9+/]{30,}={0,2})",
        "AccountKey", "SharedAccessKey", "accountkey", "sharedaccesskey",
        group=1,
    ),
    text(
        "azure-sas-signature",
        "azure-sas",
        r"sig=([A-Za-z0-9+/%_-]{30,}(?:%3D|%3d|=){0,2})",
        "sig=",
        group=1,
        peek="[A-Za-z0-9+/%_-]{12}",
        check="random",
    ),
    text(
        "azure-client-secret",
        "azure-client-secret",
        r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}",
        first="0123456789", anchor="[0-9]Q~[A-Za-z0-9_~.-]{8}",
        back=3,
    ),
    text(
        "azure-devops-token",
        "azure-devops-token",
        r"[A-Za-z0-9]{70,80}AZDO[A-Za-z0-9]{4}",
        "AZDO",
        back=80,
        peek="[A-Za-z0-9]{4}",
    ),
    text(
        "azure-openai-key",
        "azure-openai-key",
        r"[A-Za-z0-9]{46,56}JQQJ9[A-Za-z0-9]{20,40}",
        "JQQJ9",
        back=56,
        peek="[A-Za-z0-9]{8}",
    ),
    text(
        "azure-function-key",
        "azure-function-key",
        r"[A-Za-z0-9_-]{40,48}AzFu[A-Za-z0-9_-]{6,10}={0,2}",
        "AzFu",
        back=48,
        peek="[A-Za-z0-9_-]{6}",
    ),
    text(
        "azure-identifiable-key",
        "azure-key",
        r"[A-Za-z0-9+/]{33,76}(?:\+AMC|\+ASt|\+ARm|\+ABa|\+AEh|\+ACR|ACDb|AzCa|APIM|AzSe|AIoT)[A-Za-z0-9+/]{5,10}={0,2}",
        "+AMC", "+ASt", "+ARm", "+ABa", "+AEh", "+ACR", "ACDb", "AzCa", "AzSe", "AIoT",
        back=76,
        peek="[A-Za-z0-9+/]{5,8}=",
    ),
    text(
        "teams-webhook",
        "teams-webhook",
        r"webhook\.office\.com\\*/webhookb2\\*/([A-Za-z0-9@/\\-]{40,})",
        "webhook.office.com",
        group=1,
    ),
)

HOSTING: tuple[Rule, ...] = (
    text("alibaba-access-key", "alibaba-access-key", r"LTAI[A-Za-z0-9]{12,24}", "LTAI", peek="[A-Za-z0-9]{8}", strict=True),
    text("tencent-secret-id", "tencent-secret-id", r"AKID[A-Za-z0-9]{13,40}", "AKID", peek="[A-Za-z0-9]{8}", strict=True),
    text("yandex-api-key", "yandex-api-key", r"AQVN[A-Za-z0-9_-]{35,38}", "AQVN", peek="[A-Za-z0-9_-]{8}", strict=True),
    text("yandex-oauth-token", "yandex-token", r"y[0-3]_[A-Za-z0-9_-]{50,60}", "y0_", "y1_", "y2_", "y3_", peek="[A-Za-z0-9_-]{12}"),
    text("yandex-iam-token", "yandex-token", r"t1\.[A-Za-z0-9_-]{6,}=?\.[A-Za-z0-9_-]{60,}={0,2}", "t1.", peek=r"[A-Za-z0-9_-]{6,}=?\.[A-Za-z0-9_-]{20}"),
    text("digitalocean-token", "digitalocean-token", r"do[opr]_v1_[a-f0-9]{40,}", "doo_v1_", "dop_v1_", "dor_v1_"),
    text("digitalocean-spaces-key", "digitalocean-spaces-key", r"DO00[A-Z0-9]{16}", "DO00", peek="[A-Z0-9]{8}", strict=True),
    text("heroku-api-key", "heroku-api-key", r"HRKU-[A-Za-z0-9_-]{30,}", "HRKU-"),
    text("cloudflare-origin-ca-key", "cloudflare-origin-ca-key", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}", "v1.0-", peek="[a-f0-9]{8}"),
    text("fly-access-token", "fly-token", r"(?:fo1_[A-Za-z0-9_-]{40,}|fm[12][ar]?_[A-Za-z0-9+/=_,-]{60,})", "fo1_", "fm1_", "fm1a_", "fm1r_", "fm2_", peek="[A-Za-z0-9+/_-]{8}"),
    text("render-api-key", "render-api-key", r"rnd_[A-Za-z0-9]{28,}", "rnd_", peek="[A-Za-z0-9]{8}"),
    text("netlify-token", "netlify-token", r"nf[pcou]_[A-Za-z0-9]{36,}", "nfp_", "nfc_", "nfo_", "nfu_", peek="[A-Za-z0-9]{30}"),
    text("vercel-blob-token", "vercel-token", r"vercel_blob_rw_[A-Za-z0-9]+_[A-Za-z0-9]{20,}", "vercel_blob_rw_"),
    text("vercel-token", "vercel-token", r"vc[apikr]_[A-Za-z0-9_-]{24,}", "vca_", "vcp_", "vci_", "vck_", "vcr_", peek="[A-Za-z0-9_-]{12}", check="mixed"),
    text("supabase-access-token", "supabase-token", r"sbp_(?:oauth_|v0_)?[a-f0-9]{40}", "sbp_"),
    text("supabase-secret-key", "supabase-key", r"sb_secret_[A-Za-z0-9_-]{20,}", "sb_secret_"),
    text("planetscale-token", "planetscale-token", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,}", "pscale_tkn_", "pscale_pw_", "pscale_oauth_"),
    text("neon-api-key", "neon-api-key", r"napi_[a-z0-9]{48,}", "napi_", peek="[a-z0-9]{12}"),
    text("neon-database-password", "neon-password", r"npg_[A-Za-z0-9]{12,}", "npg_", peek="[A-Za-z0-9]{10}", check="mixed"),
    text("cockroach-token", "cockroach-token", r"CCDB1_[A-Za-z0-9]{22}_[A-Za-z0-9]{40}", "CCDB1_"),
    text("mongodb-atlas-secret", "mongodb-atlas-secret", r"mdb_sa_sk_[A-Za-z0-9_-]{36,}", "mdb_sa_sk_"),
    text("aiven-password", "aiven-password", r"AVNS_[A-Za-z0-9_-]{16,}", "AVNS_"),
    text("databricks-token", "databricks-token", r"(?:dapi|dkea|dose)[a-f0-9]{32}(?:-[0-9])?", "dapi", "dkea", "dose", peek="[a-f0-9]{12}"),
    text("scaleway-access-key", "scaleway-access-key", r"SCW[A-Z0-9]{17}", "SCW", peek="[A-Z0-9]{12}", strict=True),
    text("snowflake-token", "snowflake-token", r"ver:[0-9]-hint:[0-9-]+-[A-Za-z0-9+/=_-]{40,}", "ver:1-hint:", "ver:2-hint:", "ver:3-hint:"),
)

TOOLS: tuple[Rule, ...] = (
    text("vault-token", "vault-token", r"hv[sbr]\.[A-Za-z0-9_-]{20,}", "hvs.", "hvb.", "hvr.", peek="[A-Za-z0-9_-]{8}"),
    text("terraform-cloud-token", "terraform-token", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{50,}", ".atlasv1.", back=14),
    text("doppler-token", "doppler-token", r"dp\.(?:pt|st|ct|sa|scim|audit|said)\.(?:[a-z0-9_-]+\.)?[A-Za-z0-9]{36,}", "dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit.", "dp.said."),
    text("infisical-token", "infisical-token", r"st\.[a-f0-9-]{24,36}\.[a-f0-9]{32}(?:\.[a-f0-9]{32})?", "st.", anchor=r"st\.[a-f0-9-]{24,36}\.[a-f0-9]{8}"),
    text("onepassword-service-token", "1password-token", r"ops_eyJ[A-Za-z0-9+/=_-]{40,}", "ops_eyJ"),
    text("onepassword-secret-key", "1password-secret-key", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}", "A3-", peek="[A-Z0-9]{6}-"),
    text("pulumi-token", "pulumi-token", r"pul-[a-f0-9]{40}", "pul-", peek="[a-f0-9]{8}"),
    text("age-secret-key", "age-secret-key", r"AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{40,}", "AGE-SECRET-KEY-"),
    text("tailscale-key", "tailscale-key", r"tskey-[a-z]+-[A-Za-z0-9]{8,}(?:-[A-Za-z0-9]{8,})?", "tskey-"),
    text("akeyless-key", "akeyless-key", r"p-[a-z0-9]{12,16}:[A-Za-z0-9+/=]{40,}", "p-", anchor=r"p-[a-z0-9]{12,16}:[A-Za-z0-9+/]{8}"),
    text("octopus-deploy-key", "octopus-deploy-key", r"API-[A-Z0-9]{25,40}", "API-", peek="[A-Z0-9]{20}", check="mixed"),
    text("kubeadm-token", "kubeadm-token", r"(?:--token[ =]|token:\s*\"?)([a-z0-9]{6}\.[a-z0-9]{16})", "--token", "token:", anchor=r"(?:--token[ =]|token: ?)[a-z0-9]{6}\.[a-z0-9]{8}", group=1),
    text("harness-token", "harness-token", r"(?:pat|sat)\.[A-Za-z0-9_-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}", "pat.", "sat.", peek=r"[A-Za-z0-9_-]{22}\."),
    text("openshift-token", "openshift-token", r"sha256~[A-Za-z0-9_-]{40,}", "sha256~"),
    text("rancher-token", "rancher-token", r"(?:token-[a-z0-9]{5}:|kubeconfig-(?:user|u)-[a-z0-9.]+:)[a-z0-9]{50,}", "token-", "user-", "u-", anchor=r"(?:token|user|u)-[a-z0-9.]{5,20}:[a-z0-9]{30}", back=11),
)

RULES: tuple[Rule, ...] = AMAZON + GOOGLE + AZURE + HOSTING + TOOLS

VALUES: tuple[Rule, ...] = (
    value("aws-secret-access-key", "aws-secret-key", r"[A-Za-z0-9/+=]{38,44}", "aws", "amazon", "secretaccesskey", "secret_access_key"),
    value("heroku-uuid-key", "heroku-api-key", _UUID, "heroku"),
    value("cloudflare-global-key", "cloudflare-api-key", r"[a-f0-9]{37}|[A-Za-z0-9_-]{40}", "cloudflare", "cf_api", "cf_token", "cf-api"),
    value("scaleway-secret-key", "scaleway-secret-key", _UUID, "scaleway", "scw"),
    value("railway-token", "railway-token", _UUID, "railway"),
    value("linode-token", "linode-token", r"[a-f0-9]{64}", "linode"),
    value("hetzner-token", "hetzner-token", r"[A-Za-z0-9]{64}", "hetzner", "hcloud"),
    value("vultr-key", "vultr-api-key", r"[A-Z0-9]{36}", "vultr"),
    value("ibm-cloud-key", "ibm-cloud-api-key", r"[A-Za-z0-9_-]{44}", "ibm", "bluemix", "watson"),
    value("vercel-short-token", "vercel-token", r"[A-Za-z0-9]{24}", "vercel"),
    value("azure-subscription-key", "azure-key", r"[a-f0-9]{32}|[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==|[a-z0-9]{52}", "azure", "ocp-apim", "ado_"),
    value("consul-token", "consul-token", _UUID, "consul"),
    value("nomad-token", "nomad-token", _UUID, "nomad"),
    value("vault-approle-secret-id", "vault-secret-id", _UUID, "secret_id", "secretid", "approle", "vault"),
    value("vault-legacy-token", "vault-token", r"s\.[A-Za-z0-9]{24}", "vault"),
    value("confluent-secret", "confluent-secret", r"[A-Za-z0-9+/]{60,64}", "confluent"),
    value("upstash-token", "upstash-token", r"[A-Za-z0-9_=-]{40,}", "upstash"),
    value("ovh-secret", "ovh-secret", r"[A-Za-z0-9]{32}", "ovh"),
    value("gcp-private-key-id", "gcp-private-key-id", r"[a-f0-9]{40}", "private_key_id"),
    value("wireguard-key", "wireguard-key", r"[A-Za-z0-9+/]{43}=", "privatekey =", "presharedkey", "wireguard", "wg_"),
)
