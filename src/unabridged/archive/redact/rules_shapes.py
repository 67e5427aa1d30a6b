"""Credentials that are known by their form alone, whoever issued them."""

from __future__ import annotations

from unabridged.archive.redact import objects
from unabridged.archive.redact.rule import WORD, Rule, text

# White space in text that may still be escaped once or more (JSON inside a string).
_SPACE = r"(?:[ \t\r\n]|\\+[nrt])+"
# `://`, also with escaped slashes.
_SCHEME = r":(?:\\*/\\*/|\\*u002[fF]\\*u002[fF]|%2[fF]%2[fF])"
_SCHEME_BEGINS = (":/", ":\\", ":%", ":u")
# Roughly the words of a command, for the screen: one class is what an automaton follows cheaply.
_COMMAND = r"(?:[^\n|;]|\\\r?\n){0,160}"
# The words of a command up to the first option of the kind that follows; at most to its line's end, escaped or not, which a
# backslash before it takes back (in JSON of JSON these are three or six backslashes).
_WORDS = r"(?:[^\n|;\\]|\\+[^\\\r\nnr|;]|\\\r?\n|\\{3}n|\\{6}n){0,160}? "

KEYS: tuple[Rule, ...] = (
    text(
        "pem-private-key",
        "private-key",
        "",
        "-----BEGIN ",
        "---- BEGIN ",
        peek="[A-Z0-9 ]{0,40}PRIVATE KEY",
        check="pem",
    ),
    text(
        "putty-private-key",
        "private-key",
        r"Private-Lines: *[0-9]+((?:(?:[ \t\r\n]|\\+[nrt]|[0-9]+(?:\t|\xe2\x86\x92|:))+[A-Za-z0-9+/=]{16,})+)",
        "Private-Lines:",
        group=1,
    ),
    text(
        "encoded-private-key",
        "private-key",
        r"LS0tLS1CRUdJTiB(?:SU0Eg|QUklWQVRF|PUEVOU1NI|FQyBQ|FTkNSWVBU|EU0Eg|QR1AgUFJJ)[A-Za-z0-9+/=]{20,}(?:\\+n[A-Za-z0-9+/=]{16,})*",
        "LS0tLS1CRUdJTiB",
    ),
    text("encoded-docker-config", "docker-config", r"eyJhdXRocyI6[A-Za-z0-9+/=]{20,}", "eyJhdXRocyI6"),
    text(
        "encoded-service-account",
        "gcp-service-account",
        r"(?:eyJ0eXBlIjoic2VydmljZV9hY2NvdW50Ii|ewogICJ0eXBlIjogInNlcnZpY2VfYWNjb3VudCIs|eyJ0eXBlIjogInNlcnZpY2VfYWNjb3VudCIs)"
        r"[A-Za-z0-9+/=]{20,}",
        "eyJ0eXBlIjoic2VydmljZV9h",
        "ewogICJ0eXBlIjogInNlcnZp",
        "eyJ0eXBlIjogInNlcnZp",
    ),
    text(
        "json-web-token",
        "jwt",
        r"eyJ[A-Za-z0-9_-]{8,}\.(?:eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*|[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})",
        "eyJ",
        peek="[A-Za-z0-9_-]{10}",
        check="jwt",
    ),
    text(
        "kubernetes-secret",
        "kubernetes-secret",
        "",
        "kind",
        anchor=r"kind\\*[\"']?: *\\*[\"']?Secret\b",
        check="k8s",
    ),
)

PASSWORDS: tuple[Rule, ...] = (
    text(
        "url-password",
        "url-password",
        _SCHEME + r"[^\s/@:\"'`<>\\]{0,128}:([^\s\"'`<>/\\]{1,512})@[A-Za-z0-9\[._$%{*-]",
        *_SCHEME_BEGINS,
        anchor=_SCHEME + r"[^\s/@:\"'`<>\\]*:[^\s\"'`<>/\\]+@",
        group=1,
        check="login",
    ),
    text(
        "url-token",
        "url-token",
        _SCHEME + r"([A-Za-z0-9_-]{20,255})(?::(?:x-oauth-basic)?)?@",
        *_SCHEME_BEGINS,
        anchor=_SCHEME + r"[A-Za-z0-9_-]{20,255}(?::(?:x-oauth-basic)?)?@",
        group=1,
        check="random",
    ),
    text(
        "oracle-password",
        "connection-password",
        r"(?i)(?:oracle:(?:thin|oci):|sqlplus +(?:-[A-Za-z]+ +)*)[^\s/@:\"']+/([^\s@\"'\\]+)",
        "oracle:thin:",
        "oracle:oci:",
        "sqlplus ",
        group=1,
        check="login",
    ),
    text(
        "curl-user",
        "basic-auth",
        r" ?(?:-u|-a|--auth|--user|--proxy-user)(?:=| +)?\\*[\"']?[^\s\"':\\$<{]+:([^\s\"'\\]+)",
        " -u",
        " -a",
        "--auth",
        "--user",
        "--proxy-user",
        anchor=r"(?: -[ua]|--auth|--user|--proxy-user)(?:=| +)?\\*[\"']?[^\s\"':\\]{1,80}:[^\s\"'\\]",
        group=1,
        check="curl",
    ),
    text(
        "basic-auth-header",
        "basic-auth",
        r"(?i)basic(?: +|%20|\\*u0020)([A-Za-z0-9+/_-]{6,}={0,2})",
        "basic",
        fold=True,
        anchor="(?i:basic)(?: +|%20)[A-Za-z0-9+/_-]{1,24}[A-Z0-9][A-Za-z0-9+/_-]{4}",
        group=1,
        check="basic",
    ),
    text(
        "bearer-token",
        "bearer-token",
        r"(?i)bearer(?:[ \t]+|\\+t|%20|\+)\\*[\"'`]?([A-Za-z0-9._~+/=|:%-]{8,})",
        "bearer",
        fold=True,
        anchor=r"(?i:bearer)(?:[ \t]+|\\+t|%20|\+)\\*[\"'`]?(?:[A-Za-z._~+/=|:%-]{0,20}[0-9]|[A-Za-z0-9._~+/=|:%-]{20})",
        group=1,
        check="random",
    ),
    text(
        "netrc-password",
        "netrc-password",
        "machine"
        + _SPACE
        + r"[^\s\\]+"
        + _SPACE
        + "login"
        + _SPACE
        + r"[^\s\\]+"
        + _SPACE
        + "password"
        + _SPACE,
        "machine",
        anchor="machine" + _SPACE + r"[^\s\\]{1,128}" + _SPACE + "login" + _SPACE,
        group=WORD,
        check="word",
    ),
    text(
        "pgpass-entry",
        "connection-password",
        r"[A-Za-z0-9_.*-]+:(?:[0-9]{4,5}|\*):[A-Za-z_*][A-Za-z0-9_*.-]{0,64}:[A-Za-z0-9_*.@-]{1,64}:([^\s:\"'\\]{4,})",
        *(f":{digit}" for digit in "0123456789*"),
        anchor=r":(?:[0-9]{4,5}|\*):[A-Za-z_*][A-Za-z0-9_*.-]{0,64}:[A-Za-z0-9_*.@-]{1,64}:[^\s:\"'\\]",
        back=64,
        group=1,
        check="pgpass",
    ),
    text(
        "mysql-password-option",
        "cli-password",
        "(?:mysql|mariadb)[a-z-]* (?:" + _WORDS + ")?-p",
        "mysql",
        "mariadb",
        anchor="(?:mysql|mariadb)[a-z-]* (?:" + _COMMAND + r" )?-p[^\s-]",
        group=WORD,
        check="word",
    ),
    text(
        "sshpass-option", "cli-password", "sshpass +(?:-[a-z]+ +)?-p *", "sshpass ", group=WORD, check="word"
    ),
    text(
        "redis-cli-option",
        "cli-password",
        "redis-cli (?:" + _WORDS + r")?(?:-a|--pass) +",
        "redis-cli ",
        anchor="redis-cli " + _COMMAND + "(?:-a|--pass) ",
        group=WORD,
        check="word",
    ),
    text(
        "docker-login-option",
        "cli-password",
        "(?:docker|podman|helm registry|az acr|az) login (?:" + _WORDS + ")?-p +",
        "docker login ",
        "podman login ",
        "helm registry login ",
        "az acr login ",
        "az login ",
        peek=_COMMAND + "-p ",
        group=WORD,
        check="word",
    ),
    text(
        "ldap-bind-option",
        "cli-password",
        "ldap(?:search|add|modify|delete|whoami|passwd) (?:" + _WORDS + ")?-w +",
        "ldap",
        anchor="ldap(?:search|add|modify|delete|whoami|passwd) " + _COMMAND + "-w ",
        group=WORD,
        check="word",
    ),
    text(
        "openssl-pass-option",
        "cli-password",
        r"-pass(?:in|out)?[ =]\\*[\"']?pass:",
        "-passin ",
        "-passout ",
        "-pass ",
        group=WORD,
        check="word",
        peek=r"\\*[\"']?pass:",
    ),
    text(
        "zip-password-option",
        "cli-password",
        "(?:zip|unzip) (?:" + _WORDS + ")?-P +",
        "zip ",
        "unzip ",
        peek=_COMMAND + "-P ",
        group=WORD,
        check="word",
    ),
    text(
        "htpasswd-batch",
        "cli-password",
        r"htpasswd +-[a-zA-Z]*b[a-zA-Z]* +(?:-[A-Za-z0-9]+ +)*(?:[^\s-][^\s]* +){1,2}",
        "htpasswd",
        anchor="htpasswd +-[a-zA-Z]{0,6}b",
        group=WORD,
        check="word",
    ),
    text(
        "smb-user-option",
        "cli-password",
        r"(?:smbclient|rpcclient|smbmap|winexe) (?:" + _WORDS + r")?-U +\\*[\"']?[^\s%\"']{1,64}%",
        "smbclient ",
        "rpcclient ",
        "smbmap ",
        "winexe ",
        anchor="(?:smbclient|rpcclient|smbmap|winexe) " + _COMMAND + r"-U +\\*[\"']?[^\s%\"']{1,64}%",
        group=WORD,
        check="word",
    ),
    text(
        "basic-auth-call",
        "basic-auth",
        r"(?i)(?:auth *= *\(|(?:http|set)?basic_?auth\() *\\*[\"'`][^\"'`\\]{1,80}\\*[\"'`] *, *",
        "auth",
        "basic",
        "http",
        "set",
        anchor=r"(?i:auth *= *\(|(?:http|set)?basic_?auth\() *\\*[\"'`][^\"'`\\]{1,80}\\*[\"'`] *,",
        group=WORD,
        fold=True,
        check="word",
    ),
    text(
        "password-on-stdin",
        "cli-password",
        r"echo +(?:-n +)?\\*[\"']?([^\s\"'|\\]{3,200})\\*[\"']? *\|(?:[^\n]{0,80}--password-stdin| *sudo +-[A-Za-z]*S\b)",
        "echo ",
        anchor=r"echo +(?:-n +)?[^\s|]{3,200} *\|(?:[^\n]{0,80}--password-stdin| *sudo +-[A-Za-z]*S)",
        group=1,
        check="word",
    ),
    text(
        "chpasswd-pipe",
        "cli-password",
        r"echo +(?:-[ne]+ +)?\\*[\"']?[^\s\"':|\\]{1,64}:([^\s\"'|\\]{3,200})\\*[\"']? *\| *(?:sudo +)?chpasswd",
        "echo ",
        anchor=r"echo +(?:-[ne]+ +)?[^\s:|]{1,64}:[^\s|]{3,200} *\| *(?:sudo +)?chpasswd",
        group=1,
        check="word",
    ),
    text(
        "curl-cookie",
        "cookie",
        r" ?(?:-b|--cookie)(?: +|=)\\*[\"']?[A-Za-z0-9_.-]{1,64}=([^\s\"'\\;]{8,})",
        " -b",
        "--cookie",
        anchor=r"(?: -b|--cookie)(?: +|=)\\*[\"']?[A-Za-z0-9_.-]{1,64}=[^\s\"'\\;]{8}",
        group=1,
        check="curl",
    ),
    text(
        "keytool-option",
        "cli-password",
        "-(?:src|dest)?(?:storepass|keypass) +",
        "-storepass ",
        "-keypass ",
        "-srcstorepass ",
        "-deststorepass ",
        "-srckeypass ",
        "-destkeypass ",
        group=WORD,
        check="word",
    ),
    text(
        "seven-zip-option",
        "cli-password",
        "7z[arz]? (?:" + _WORDS + ")?-p",
        "7z",
        anchor="7z[arz]? (?:" + _COMMAND + r" )?-p[^\s-]",
        group=WORD,
        check="word",
    ),
    text(
        "vault-login",
        "vault-token",
        r"vault login (?:-[a-z-]+(?:=[^\s]+)? +)*([A-Za-z0-9._-]{16,})",
        "vault login ",
        group=1,
        check="mixed",
    ),
    text(
        "sql-identified-by",
        "password",
        r"(?i)identified +(?:with +[^\s]{1,60} +)?by +(?:password +)?",
        "identified",
        anchor=r"(?i:identified +(?:with +[^\s]{1,60} +)?by +(?:password +)?)\\*[\"']",
        group=WORD,
        fold=True,
        check="sql",
    ),
    text(
        "json-web-key",
        "private-key",
        r"d\\*\"\s*:\s*\\*\"([A-Za-z0-9_-]{32,})",
        'd"',
        'd\\"',
        'd\\\\\\"',
        anchor=r"d\\*\" ?: ?\\*\"[A-Za-z0-9_-]{32}",
        group=1,
        check="jwk",
    ),
    text(
        "wireless-key",
        "password",
        r"psk=\\*[\"']([^\"'\\]{8,63})",
        "psk=",
        peek=r"\\*[\"']",
        group=1,
        check="psk",
    ),
    text(
        "snmp-community",
        "snmp-community",
        "r[ow]community6? +",
        "rocommunity",
        "rwcommunity",
        peek="6? ",
        group=WORD,
        check="mixed",
    ),
    text(
        "redis-password",
        "password",
        "(?:requirepass|masterauth) +",
        "requirepass ",
        "masterauth ",
        group=WORD,
        check="word",
    ),
    text(
        "secure-string",
        "password",
        r"ConvertTo-SecureString +(?:-String +)?",
        "ConvertTo-SecureString ",
        group=WORD,
        check="word",
    ),
)

HASHES: tuple[Rule, ...] = (
    text(
        "bcrypt-hash",
        "password-hash",
        r"\$\$?2[abxy]\$\$?[0-9]{2}\$\$?[./A-Za-z0-9]{53}",
        first="$",
        anchor=r"\$2[abxy]\$\$?[0-9]{2}\$",
    ),
    text("apache-hash", "password-hash", r"\$\$?apr1\$\$?[./A-Za-z0-9]{1,8}\$\$?[./A-Za-z0-9]{22}", "$apr1$"),
    text(
        "argon2-hash",
        "password-hash",
        r"\$argon2(?:id|i|d)\$v=[0-9]+\$[a-z0-9=,]+\$[A-Za-z0-9+/=]{8,}\$[A-Za-z0-9+/=]{16,}",
        "$argon2",
    ),
    text(
        "crypt-hash",
        "password-hash",
        r"\$(?:[156]|y|7|gy)\$(?:rounds=[0-9]+\$|j[A-Za-z0-9./]+\$)?[./A-Za-z0-9]{1,24}\$[./A-Za-z0-9]{22,90}",
        first="$",
        anchor=r"\$(?:[1567]|g?y)\$[./A-Za-z0-9=$]{24}",
    ),
    text(
        "pbkdf2-hash",
        "password-hash",
        r"pbkdf2[_:-](?:sha1|sha256|sha512)[$:][0-9]+[$:][A-Za-z0-9+/=]+[$:][A-Za-z0-9+/=]{20,}",
        "pbkdf2",
        anchor="pbkdf2[_:-]sha(?:1|256|512)[$:][0-9]",
    ),
    text(
        "werkzeug-hash",
        "password-hash",
        r"scrypt:[0-9]+:[0-9]+:[0-9]+\$[A-Za-z0-9]+\$[a-f0-9]{64,}",
        "scrypt:",
        anchor="scrypt:[0-9]+:[0-9]",
    ),
    text(
        "ldap-hash",
        "password-hash",
        r"\{(?:SSHA|SHA|SMD5|CRYPT|SSHA256|SSHA512)\}([A-Za-z0-9+/=$.]{16,})",
        "{SSHA",
        "{SHA}",
        "{SMD5}",
        "{CRYPT}",
        group=1,
    ),
)

_NAMES_SECRET = rf"(?i:(?:{objects.NAMING})(?:\\*[\"'])?[ \t]*[:=][ \t]*{objects.SECRETIVE})"
_COMMANDS = (
    "(?:curl|wget|mysql|mysqldump|mariadb|sshpass|redis-cli|docker|podman|ldapsearch|smbclient|zip|unzip|7z)"
)
# Their patterns tell cheaply whether they begin at a place; what they find is for `objects.py` to say.
NEIGHBOURS: tuple[Rule, ...] = (
    text(
        "named-value",
        "secret",
        _NAMES_SECRET,
        *objects.NAMING_BEGINS,
        anchor=_NAMES_SECRET,
        fold=True,
        check="pairs",
    ),
    text(
        "json-web-key-object",
        "private-key",
        r"kty(?:\\*[\"'])?[ \t]*:",
        "kty",
        anchor=r"kty(?:\\*[\"'])?[ \t]*:[ \t]*(?:\\*[\"'])?(?:RSA|EC|OKP|oct|AKP)",
        check="kty",
    ),
    text(
        "cookie-object",
        "cookie",
        r"(?i)(?:http_?only|same_?site|cookies)\\*[\"'][ \t]*:",
        "http",
        "same",
        "cookies",
        anchor=r"(?i:(?:http_?only|same_?site)\\*[\"'][ \t]*:|cookies\\*[\"'][ \t]*:[ \t]*[\[{])",
        fold=True,
        check="cookies",
    ),
    text(
        "argument-list",
        "cli-password",
        rf"{_COMMANDS}\\*[\"'],(?:[ \t\r\n]|\\+[nrt])*\\*[\"']",
        *_COMMANDS.strip("(?:)").split("|"),
        anchor=rf"{_COMMANDS}\\*[\"'],(?:[ \t\r\n]|\\+[nrt])*\\*[\"']",
        check="argv",
    ),
)

RULES: tuple[Rule, ...] = KEYS + PASSWORDS + HASHES + NEIGHBOURS
