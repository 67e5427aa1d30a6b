"""Files whose content is a secret, by their path."""

from __future__ import annotations

import re
from functools import lru_cache

from unabridged.archive.redact.pattern import text_finder

MASKED_OUTPUT = "[redacted:sensitive-file]"
"""What stands in place of a tool's result that shows such a file."""

MAX_PATH = 4_096  # characters; anything longer is no path
REMEMBERED_PATH = (
    128  # characters; what was found of shorter paths is remembered, since commands repeat their words
)
REMEMBERED = 4_096  # paths; about 1 MiB
AUTOMATON_BYTES = (
    8 << 20
)  # of a pattern that looks through calls; those of real transcripts fill a tenth of it


def listed(words: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(words.split())


_HARMLESS_PARTS = listed(
    "example sample template tmpl tpl dist defaults default schema spec example-local ci.example pub md"
)
_SECRET_NAMES = listed(
    """
    .netrc _netrc .pgpass pgpass.conf .my.cnf .mylogin.cnf .npmrc .yarnrc.yml .pypirc .htpasswd .htdigest
    .git-credentials .dockercfg .dockerconfigjson .vault-token .vault_pass .vault-pass vault_pass.txt .boto .s3cfg
    rclone.conf .envrc master.key credentials .credentials .credentials.json credentials.json credentials.yml
    credentials.yaml credentials.toml credentials.ini credentials.xml credentials.csv credentials.db
    credentials.tfrc.json application_default_credentials.json access_tokens.db accesstokens.json
    msal_token_cache.json secrets.yml secrets.yaml secrets.json secrets.toml secrets.env secrets.ini secrets.txt
    secret.yml secret.yaml secret.json secret.toml secret.txt .secrets .secret auth.json kubeconfig shadow gshadow
    secring.gpg wallet.dat logins.json key4.db key3.db cookies.sqlite environ passwords.txt password.txt
    .password-store api_key.txt apikey.txt token.txt .token keystore.properties local.settings.json
    """
)
_SECRET_ENDINGS = tuple(
    listed(
        """
    .pem .key .p12 .pfx .p8 .pk8 .ppk .jks .keystore .kdbx .kdb .ovpn .tfvars .tfvars.json .tfstate .tfstate.backup
    .kubeconfig .agekey .keytab .snk .mobileprovision .gpg-key .asc.key .keys.json .secrets .htpasswd
    """
    )
)
_SECRET_NAME = re.compile(
    r"id_(?:rsa|dsa|ecdsa|ed25519|ecdsa_sk|ed25519_sk|xmss)(?:[-_.](?!pub\Z)[\w.-]+)?\Z"
    r"|(?:[\w.-]+[-_.])?(?:service[-_]?account|client[-_]secrets?|serviceaccountkey|firebase-adminsdk)[\w.-]*\.json\Z"
    r"|utc--[\w.-]+\Z|secrets?[-_.](?:prod|production|dev|staging|local)[\w-]*\.(?:ya?ml|json|toml|env|ini)\Z"
    r"|[\w.-]*private[-_]?key[\w.-]*(?<!\.py)(?<!\.ts)(?<!\.js)(?<!\.go)(?<!\.rs)(?<!\.md)(?<!\.c)(?<!\.h)(?<!\.java)\Z"
)
# (directory, name; `*` is any): files with common names that are secrets only in one place.
_SECRET_PLACES = (
    (".docker", "config.json"),
    (".kube", "config"),
    (".config/gh", "hosts.yml"),
    (".config/gcloud", "*"),
    (".config/hub", "*"),
    (".azure", "azureprofile.json"),
    (".aws", "config"),
    (".ssh", "*"),
    (".gnupg", "*"),
    (".password-store", "*"),
    ("run/secrets", "*"),
    ("secrets/kubernetes.io/serviceaccount", "*"),
    ("private-keys-v1.d", "*"),
)
_SSH_PUBLIC = frozenset(("config", "known_hosts", "known_hosts.old", "authorized_keys", "allowed_signers"))
_ENV_FILE = re.compile(
    r"(?:[\w-]+)?\.env(?:[-_.*?\[{][\w.*?,{}\[\]-]*)?\Z|\.env\*?\Z|env\.(?:local|prod|production|staging)\Z"
)


# What every text with a sensitive path in it matches: one look spares its many words the exact rules.
_EDGE = r"[\s/'\"`=:<>|;&(),{}\[\]\\*?]"
SUSPECT = (
    f"(?i:(?:^|{_EDGE})(?:"
    + "|".join(re.escape(name) for name in sorted(_SECRET_NAMES))
    + f")(?:{_EDGE}|$)|(?:"
    + "|".join(re.escape(ending) for ending in _SECRET_ENDINGS)
    + f")(?:{_EDGE}|$)|\\.env|env\\.(?:local|prod|stag)|id_(?:rsa|dsa|ec|ed|xmss)|secrets?[-_.]|service[-_]?account"
    + f"|client[-_]secret|firebase|utc--|private[-_]?key|(?:^|{_EDGE})(?:"
    + "|".join(re.escape(place) for place, _ in _SECRET_PLACES)
    + ")[/\\\\])"
)
_suspect = text_finder(SUSPECT, AUTOMATON_BYTES)


def suspicious(text: str) -> bool:
    """Tell whether a path, or a word of a command, may be sensitive; false means that none is."""
    data = text.encode("utf-8", "replace")
    return _suspect(data, 0, len(data)) >= 0


def sensitive_path(path: str) -> bool:
    """Tell whether a file of this path holds secrets: `.env`, keys, credential stores.

    Patterns (`.env*`) count as what they match. `.env.example`, public keys, and code about secrets do not.
    """
    if not path or len(path) > MAX_PATH:
        return False
    return _sensitive(path) if len(path) > REMEMBERED_PATH else _remembered(path)


def _sensitive(path: str) -> bool:
    clean = path.strip().strip("'\"`").replace("\\", "/").rstrip("/").lower()
    directory, _, name = clean.rpartition("/")
    if not name:
        return False
    if name in _SECRET_NAMES:
        return not _is_plain_environ(directory, name)
    parts = name.strip(".").replace("-", ".").replace("_", ".").split(".")
    if any(part in _HARMLESS_PARTS for part in parts) or name.endswith(".d.ts"):
        return False
    if name.endswith(_SECRET_ENDINGS) or _ENV_FILE.match(name) or _SECRET_NAME.match(name):
        return True
    return any(_lies_in(directory, name, place, wanted) for place, wanted in _SECRET_PLACES)


_remembered = lru_cache(REMEMBERED)(_sensitive)


def _is_plain_environ(directory: str, name: str) -> bool:
    """`environ` is a secret below `/proc` only, `shadow` in `/etc` only."""
    if name == "environ":
        return "proc/" not in directory + "/"
    return name in ("shadow", "gshadow") and not directory.endswith("etc")


def _lies_in(directory: str, name: str, place: str, wanted: str) -> bool:
    if f"/{place}/" not in f"/{directory}/":
        return False
    if wanted != "*":
        return name == wanted
    return place != ".ssh" or name not in _SSH_PUBLIC
