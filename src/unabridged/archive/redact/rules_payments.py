"""Credentials of payment, commerce, banking, crypto services."""

from __future__ import annotations

from unabridged.archive.redact.rule import Rule, text, value

_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_BASE58 = "[1-9A-HJ-NP-Za-km-z]"

RULES: tuple[Rule, ...] = (
    text(
        "stripe-key",
        "stripe-key",
        r"(?:sk|rk|pk)_(?:live|test|prod)_[A-Za-z0-9_]{10,}",
        "sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "pk_live_", "pk_test_", "pk_prod_",
        peek="[A-Za-z0-9]{4}",
    ),
    text("square-token", "square-token", r"sq0[a-z]{3}-[A-Za-z0-9_-]{20,}", "sq0atp-", "sq0csp-", "sq0idp-", "sq0acp-"),
    text("square-access-token", "square-token", r"EAAA[A-Za-z0-9_-]{60}", "EAAA", peek="[A-Za-z0-9_-]{40}", strict=True, check="random"),
    text("braintree-token", "braintree-token", r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}", "access_token$"),
    text("plaid-token", "plaid-token", r"(?:access|public|link)-(?:sandbox|production|development)-" + _UUID, "access-sandbox-", "access-production-", "access-development-", "public-sandbox-", "public-production-", "link-sandbox-", "link-production-"),
    text("razorpay-key", "razorpay-key", r"rzp_(?:live|test)_[A-Za-z0-9]{14,}", "rzp_live_", "rzp_test_"),
    text("shopify-token", "shopify-token", r"shp(?:at|ca|pa|ss|ua|tka|rt)_[a-fA-F0-9]{32}", "shpat_", "shpca_", "shppa_", "shpss_", "shpua_", "shptka_", "shprt_"),
    text("flutterwave-key", "flutterwave-key", r"FLW(?:SEC|PUB)K(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?", "FLWSECK", "FLWPUBK", peek="(?:_TEST)?-"),
    text("mollie-key", "payment-key", r"(?:live|test|sandbox)_[A-Za-z0-9_-]{29,}", "live_", "test_", "sandbox_", peek="[A-Za-z0-9]{24}", strict=True, check="random"),
    text("paddle-key", "paddle-key", r"pdl_(?:live_|sdbx_)?(?:apikey|ntfset)_[A-Za-z0-9_]{24,}", "pdl_"),
    text("mercury-token", "mercury-token", r"secret-token:mercury_[A-Za-z0-9_]{16,}", "secret-token:mercury_"),
    text("adyen-key", "adyen-key", r"AQE[a-z][A-Za-z0-9+/=]{60,}(?:-[A-Za-z0-9+/=]{20,})?", "AQE", anchor="AQE[a-z][A-Za-z0-9+/=]{40}", strict=True),
    text("checkout-key", "checkout-key", r"(?:sk|pk)_(?:sbox_)?[a-z0-9]{26,}", "sk_sbox_", "pk_sbox_"),
    text("duffel-token", "duffel-token", r"duffel_(?:live|test)_[A-Za-z0-9_=-]{30,}", "duffel_live_", "duffel_test_"),
    text("shippo-token", "shippo-token", r"shippo_(?:live|test)_[a-f0-9]{40}", "shippo_live_", "shippo_test_"),
    text("easypost-key", "easypost-key", r"EZ[AT]K[A-Za-z0-9]{50,}", "EZAK", "EZTK", peek="[A-Za-z0-9]{30}", strict=True),
    text("lob-key", "lob-key", r"(?:live|test)(?:_pub)?_[a-f0-9]{31,35}", "live_pub_", "test_pub_", peek="[a-f0-9]{8}"),
    text("rpc-url", "rpc-key", r"(?:infura\.io\\*/v3\\*/|alchemy\.com\\*/v2\\*/|quiknode\.pro\\*/)([A-Za-z0-9_-]{24,})", "infura.io", "alchemy.com", "quiknode.pro", group=1),
    text("bitcoin-extended-key", "crypto-private-key", r"[xyztuv]prv" + _BASE58 + r"{80,}", "xprv", "yprv", "zprv", "tprv", "uprv", "vprv", peek="[1-9A-HJ-NP-Za-km-z]{20}"),
    text(
        "seed-phrase",
        "seed-phrase",
        r"(?i)(?:mnemonic|seed|recovery|secret)[ _-]?(?:phrase|words)?[\"'`\\]*\s*(?:[:=]|is)\s*[\"'`\\]*"
        r"((?:[a-z]{3,8}[ ,]+){11}(?:(?:[a-z]{3,8}[ ,]+){3}|(?:[a-z]{3,8}[ ,]+){6}|(?:[a-z]{3,8}[ ,]+){9}|"
        r"(?:[a-z]{3,8}[ ,]+){12})?[a-z]{3,8})",
        "mnemonic", "seed phrase", "seed_phrase", "seedphrase", "recovery phrase", "recovery_phrase", "secret phrase",
        group=1,
        fold=True,
    ),
)

VALUES: tuple[Rule, ...] = (
    value("coinbase-secret", "coinbase-secret", r"[A-Za-z0-9+/=_-]{32,88}", "coinbase"),
    value("binance-secret", "binance-secret", r"[A-Za-z0-9]{64}", "binance"),
    value("kraken-secret", "kraken-secret", r"[A-Za-z0-9+/]{80,90}={0,2}", "kraken"),
    value("paypal-secret", "paypal-secret", r"[A-Za-z0-9_-]{60,90}", "paypal"),
    value("plaid-secret", "plaid-secret", r"[a-f0-9]{30}", "plaid"),
    value("ethereum-private-key", "crypto-private-key", r"(?:0x)?[a-fA-F0-9]{64}", "private_key", "privatekey", "private key", "private-key"),
    value("bitcoin-private-key", "crypto-private-key", r"[5KL]" + _BASE58 + r"{50,51}", "private_key", "privatekey", "private key", "wif"),
    value("etherscan-key", "rpc-key", r"[A-Z0-9]{34}|[a-f0-9]{32}", "etherscan", "infura"),
)
