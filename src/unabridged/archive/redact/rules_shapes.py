"""Credentials that are known by their form alone, whoever issued them."""

from __future__ import annotations

from unabridged.archive.redact.rule import WORD, Rule, text

# White space in text that may still be escaped once or more (JSON inside a string).
_SPACE = r"(?:[ \t\r\n]|\\+[nrt])+"
# `://`, also with escaped slashes.
_SCHEME = r":(?:\\*/\\*/|\\*u002[fF]\\*u002[fF]|%2[fF]%2[fF])"
# The words of a command on its line.
_COMMAND = r"[^\n|;]{0,160}"

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
        r"LS0tLS1CRUdJTiB(?:SU0Eg|QUklWQVRF|PUEVOU1NI|FQyBQ|FTkNSWVBU|EU0Eg|QR1AgUFJJ)[A-Za-z0-9+/=\\n]{20,}",
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
        first=":",
        anchor=_SCHEME + r"[^\s/@:\"'`<>\\]*:[^\s\"'`<>/\\]+@",
        group=1,
        check="login",
    ),
    text(
        "url-token",
        "url-token",
        _SCHEME + r"([A-Za-z0-9_-]{20,255})@",
        first=":",
        anchor=_SCHEME + r"[A-Za-z0-9_-]{20,255}@",
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
        first=":",
        anchor=r":(?:[0-9]{4,5}|\*):[A-Za-z_*][A-Za-z0-9_*.-]{0,64}:[A-Za-z0-9_*.@-]{1,64}:[^\s:\"'\\]",
        back=64,
        group=1,
        check="pgpass",
    ),
    text(
        "mysql-password-option",
        "cli-password",
        "(?:mysql|mariadb)[a-z-]* (?:" + _COMMAND + " )?-p",
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
        "redis-cli " + _COMMAND + r"(?:-a|--pass) +",
        "redis-cli ",
        anchor="redis-cli " + _COMMAND + "(?:-a|--pass) ",
        group=WORD,
        check="word",
    ),
    text(
        "docker-login-option",
        "cli-password",
        "(?:docker|podman|helm registry|az acr) login " + _COMMAND + "-p +",
        "docker login ",
        "podman login ",
        "helm registry login ",
        "az acr login ",
        peek=_COMMAND + "-p ",
        group=WORD,
        check="word",
    ),
    text(
        "ldap-bind-option",
        "cli-password",
        "ldap(?:search|add|modify|delete|whoami|passwd) " + _COMMAND + "-w +",
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
        "(?:zip|unzip) " + _COMMAND + "-P +",
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
        r"(?:smbclient|rpcclient|smbmap|winexe) " + _COMMAND + r"-U +\\*[\"']?[^\s%\"']{1,64}%",
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
        r"echo +(?:-n +)?\\*[\"']?([^\s\"'|\\]{3,200})\\*[\"']? *\|[^\n]{0,80}--password-stdin",
        "echo ",
        anchor=r"echo +(?:-n +)?[^\s|]{3,200} *\|[^\n]{0,80}--password-stdin",
        group=1,
        check="word",
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

RULES: tuple[Rule, ...] = KEYS + PASSWORDS + HASHES
