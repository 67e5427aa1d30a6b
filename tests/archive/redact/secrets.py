"""Made-up secrets, put together so that no scanner takes this file for a leak."""

from __future__ import annotations

import json

GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
ANTHROPIC = "sk-ant-" + "api03-Zx8Kq2Lm9Pw4Rt7Yv1Bn6"
AMAZON_ID = "AKIA" + "Z7QK3M5N8P2R4T6V"
PASSWORD = "hunter2" + "-Tr0ub4dor"
BODY = "MIIEowIBAAKCAQEA" + "u1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gun"
PRIVATE_KEY = "\n".join(
    ("-----BEGIN RSA " + "PRIVATE KEY-----", BODY, BODY[::-1] + "==", "-----END RSA " + "PRIVATE KEY-----")
)
TOKENS = (GITHUB, ANTHROPIC, AMAZON_ID)


def line(value: object, *, ascii_only: bool = True, end: bytes = b"\n") -> bytes:
    """Return a transcript line as hosts write it."""
    return json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":")).encode() + end
