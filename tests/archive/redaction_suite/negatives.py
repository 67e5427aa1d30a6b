"""Texts that no redaction may touch: name → template (codes as in `shapes`)."""

from __future__ import annotations

import json
from typing import Any

from tests.archive.redaction_suite.positives import SESSION, STAMP
from tests.archive.redaction_suite.shapes import made

# Keys that vendors print in their documentation, put together so that no scanner minds.
AWS_ID = "AKIA" + "IOSFODNN7" + "EXAMPLE"
AWS_SECRET = "wJalrXUtnFEMI" + "/K7MDENG/" + "bPxRfiCY" + "EXAMPLEKEY"
STRIPE_DOCUMENTED = "sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc"
AZURITE = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw" + "=="
JWT_DOCUMENTED = (
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
    "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ."
    "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
)

MENTIONS = {
    "password reset": "Please add a password reset flow to the account page.",
    "token count": "The token count was 12,345 and the secret of a good cache is locality.",
    "rotation": "How do I rotate the API key without downtime?",
    "length rule": "Password must be at least 12 characters long.",
    "list of rules": "- password: required, at least 8 characters\n- token: optional",
    "wrong password": "Error: invalid password for user app",
    "password is never": "The password is never logged, and the token is not stored.",
    "password is wrong": "The password is incorrect. The API key is missing. The token is expired.",
    "bearer tokens": "Bearer tokens expire after an hour; Basic authentication is off by default.",
    "authorization as prose": "Authorization: the server checks who may write.",
    "cookies as prose": "Cookie: a small piece of text that a browser sends back. Set-Cookie: how a server gives one.",
    "definition of a token": "token: the smallest unit that the model sees",
    "secret as prose": "secret: see the vault, section four",
    "pairs": "key: value pairs are kept in order",
    "hashing": "passwords are hashed with argon2id before they are stored",
    "check list": "- [ ] secret scanning\n- [x] token refresh\n- [ ] password strength meter",
    "git without password": "remote: Support for password authentication was removed on August 13, 2021.",
    "git failure": "fatal: Authentication failed for 'https://github.com/team/app.git/'",
    "password in Chinese": "请重置密码:用户忘记了密码,令牌已过期。",
    "password in German": "Passwort: mindestens zwölf Zeichen, davon eine Ziffer",
    "password in Japanese": "パスワード: 8文字以上で入力してください",
    "commit subject": "auth: token refresh no longer races with password change",
    "heading": "## API keys, tokens and passwords\n\nEach has its own page.",
    "prompt for one": "Enter password for 'jo': \nPassword: \nRetype new password: ",
    "log without value": 'level=info msg="token refreshed" user=42 expires_in=3600 password_changed=true',
    "secret santa": "Secret Santa is on Friday; the passphrase game comes after.",
    "token use": "Context: 84,211 tokens used, max_tokens=4096, tokens/s: 51.2",
}

CODE = {
    "python annotation": "password: str\ntoken: str | None = None\napi_key: Optional[str] = None",
    "python function": "def login(user: str, password: str, *, token: Token | None = None) -> Session:",
    "typescript interface": "interface Login { user: string; password: string; token?: string; apiKey: ApiKey | null }",
    "go struct": 'Password string `json:"password" validate:"required"`',
    "rust field": "pub password: Option<String>,\npub api_key: SecretString,",
    "java field": 'private String password;\n@Column(name = "password") private String secret;',
    "django field": "password = models.CharField(max_length=128)",
    "passed on": "client = Client(user=user, password=password, token=token, api_key=self.api_key)",
    "attribute": "self.token = token\nthis.password = password;",
    "call": "const token = await getToken(user);\nsecret = load_secret(path)\npassword = generate_password(32)",
    "environment look-up in Python": 'api_key = os.environ["API_KEY"]\ntoken = os.getenv("OPENAI_API_KEY")',
    "environment look-up in JavaScript": 'const key = process.env.STRIPE_SECRET_KEY ?? "";',
    "environment look-up in Go": 'password := os.Getenv("DB_PASSWORD")',
    "environment look-up in Java": 'String password = System.getenv("DB_PASSWORD");',
    "environment look-up in Ruby": 'secret_key_base = ENV.fetch("SECRET_KEY_BASE")',
    "environment look-up in Rust": 'let token = std::env::var("GITHUB_TOKEN")?;',
    "settings object": "password=settings.DATABASE_PASSWORD, secret=config.auth.client_secret",
    "getpass": 'password = getpass.getpass("Password: ")',
    "read from terminal": 'read -r -s -p "Password: " PASSWORD',
    "command substitution": 'export TOKEN="$(gh auth token)"\nPASSWORD=$(cat /run/secrets/db)',
    "shell default": "PASSWORD=${DB_PASSWORD:?must be set}",
    "variable in header": 'curl -H "Authorization: Bearer ${GITHUB_TOKEN}" -H "x-api-key: $ANTHROPIC_API_KEY" "$URL"',
    "variable as user": 'curl -u "$USER:$PASS" https://api.internal.example.net/',
    "f-string header": 'headers = {"Authorization": f"Bearer {token}", "X-Api-Key": api_key}',
    "template literal": "headers: { Authorization: `Bearer ${session.accessToken}` }",
    "lexer": 'token = Token(TokenType.IDENT, "name", 1, 4)\nif token.kind == "string":\n    token = self.advance()',
    "tokenizer": 'tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")\neos_token = "</s>"',
    "token numbers": '{"input_tokens": 12345, "output_tokens": 678, "cache_read_input_tokens": 0, "max_tokens": 4096}',
    "names of fields": 'PASSWORD = "password"\nTOKEN = "token"\nAPI_KEY_HEADER = "X-API-Key"',
    "keys that are no keys": 'sort_key="name"\ncache_key = "user:42:profile"\nprimary_key=True\nkey = "created_at"',
    "null and empty": '{"password": null, "token": "", "secret": false, "apiKey": [], "passphrase": 0}',
    "schema type": '{"password": {"type": "string", "format": "password"}, "token": {"$ref": "#/parts/Token"}}',
    "type as value": '{"password": "string", "token": "string", "apiKey": "string"}',
    "openapi": "    password:\n      type: string\n      format: password\n      minLength: 12",
    "protobuf": "message Login {\n  string user = 1;\n  string password = 2;\n  bytes token = 3;\n}",
    "graphql": "input Login { email: String!, password: String! }",
    "sql schema": "password_hash varchar(255) NOT NULL,\ntoken uuid DEFAULT gen_random_uuid(),",
    "sql parameter": "UPDATE users SET password = $1, token = :token WHERE id = ?",
    "migration": "t.string :password_digest, null: false\nt.string :token, index: { unique: true }",
    "prisma": "model User {\n  id       Int    @id\n  password String\n  token    String? @unique\n}",
    "html form": '<label for="password">Password</label>\n<input type="password" name="password" autocomplete="off">',
    "translations": '{"password": "Password", "forgot_password": "Forgot your password?", "token": "Token"}',
    "placeholder of a form": 'passwordPlaceholder: "Enter your password"',
    "react state": 'const [password, setPassword] = useState("");\nonChange={(e) => setPassword(e.target.value)}',
    "comparison": 'if (password !== confirmPassword) throw new Error("password-mismatch");',
    "exception": 'raise ValueError("password must not be empty")',
    "assertion": 'assert response.json()["token"] == expected_token\nassert "password" not in user.to_dict()',
    "test ids": "tests/auth/test_password_reset.py::test_token_expires[expired-token] PASSED",
    "regex of tokens": r'GITHUB = re.compile(r"\b(ghp|gho|ghu)_[A-Za-z0-9]{36}\b")',
    "regex of keys": r"AKIA[0-9A-Z]{16}|ASIA[0-9A-Z]{16}|xox[baprs]-[0-9a-zA-Z-]{10,48}",
    "regex of assignments": r"""(?i)(api[_-]?key|secret|token|password)\s*[:=]\s*['"]?([\w-]{20,})""",
    "rule of a scanner": "id = \"slack-bot-token\"\nregex = '''xoxb-[0-9]{10,13}-[0-9]{10,13}[a-zA-Z0-9-]*'''",
    "minified": (
        '!function(e,t){"use strict";var n=t.token,r=e.password||"",o=function(e){return e.key===t.secret?n:void 0};'
        "e.exports={token:n,secretKey:o,apiKey:t.apiKey,password:r}}(module,window);"
    ),
    "command help": (
        "  -p, --password string   Password or Personal Access Token (PAT)\n"
        "      --password-stdin    Take the password from stdin\n"
        "  -t, --token <TOKEN>     token to use [env: GH_TOKEN]"
    ),
    "usage line": "usage: app login [--user USER] [--password PASSWORD] [--token TOKEN] [--api-key KEY]",
    "dataclass default": "token: str = field(default_factory=new_token, repr=False)",
    "lambda": "secret = lambda: vault.read(name)",
    "attribute with digits": "MLKEM768PrivateKey = openssl.hpke.MLKEM768PrivateKey\ncredential=self._credential",
    "indexed": "authorization = authorization[1].encode('ascii')\ntoken = tokens[0].strip()",
    "pass of a filter": "{'bp': 'bandpass', 'pass': 'bandpass', 'stop': 'bandstop'}",
    "pass of a compiler": "FunctionPass *createX86LowerTypePass();\nResultPass = Resolver->getAnalysisIfThere(PI);",
    "pass as a constant": "#define GL_STENCIL_PASS_DEPTH_PASS        0x0B96\n#define GPCT_SINGLE_PW\t\t0x0100",
    "pass as a function": 'assert passValue("text é") == "text é"\nbypass("all", "1px")\nrow[x + start - pw] = char2',
    "formatted pair": "user_pass = '%s:%s' % (unquote(user), unquote(password))",
    "prompt in a test": "self.assertIn('Password:', stderr.getvalue())",
    "text that ends in password": '"note": "require a number in the password:",\n"id": "rule-2"',
    "rule in code": 'shape("x-token", "vendor-token", r"ops_[A-Za-z0-9]{40,}"),\nhints = ("requirepass ", "-passin ")',
    "empty block": 'WITHOUT_PASSWORD = """\\\n[distutils]\nindex-servers =\n    one\n"""',
    "c code": "char password[64];\nstrncpy(password, argv[2], sizeof password - 1);",
    "decorator": '@pytest.mark.parametrize("password", [None, "", " "])',
}

SETTINGS = {
    "github secrets": "        password: ${{ secrets.NPM_TOKEN }}\n        token: ${{ github.token }}",
    "helm value": "  password: {{ .Values.db.password | quote }}",
    "jinja": 'db_password: "{{ vault_db_password }}"',
    "cloudformation": "MasterUserPassword: !Ref DbPassword\nSecretString: !Sub '${Secret}'",
    "resolve reference": "password: '{{resolve:secretsmanager:db:SecretString:password}}'",
    "terraform reference": "password = var.db_password\ntoken    = data.vault_generic_secret.api.data.token",
    "terraform plan": "  + password = (sensitive value)\n  + secret_id = (known after apply)",
    "secret reference": "valueFrom:\n  secretKeyRef:\n    name: db-credentials\n    key: password",
    "secret name": "secretName: tls-cert\nimagePullSecrets:\n- name: regcred\nserviceAccountName: token-reviewer",
    "password file": "POSTGRES_PASSWORD_FILE=/run/secrets/pg_password\npassword_file: /run/secrets/pw",
    "limits": "TOKEN_EXPIRY=3600\nPASSWORD_MIN_LENGTH=12\nSECRET_ROTATION_DAYS=90\nAPI_KEY_ENABLED=true",
    "token address": 'token_url = "https://auth.example.net/oauth/token"\nTOKEN_TYPE=bearer',
    "key path": "SSL_KEY=/etc/ssl/private/server.key\nssh_key_path: ~/.ssh/id_ed25519",
    "hashers": 'PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]',
    "sshd": "PasswordAuthentication no\nPermitRootLogin prohibit-password\nPubkeyAuthentication yes",
    "pam": "password   required   pam_unix.so   sha512 shadow",
    "passwd file": "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin",
    "local compose": (
        "services:\n  db:\n    image: postgres:16\n    environment:\n      POSTGRES_USER: postgres\n"
        "      POSTGRES_PASSWORD: postgres\n      POSTGRES_DB: app\n    ports:\n      - 5432:5432"
    ),
    "local url": "DATABASE_URL=postgres://postgres:postgres@localhost:5432/app",
    "local queue": "RABBITMQ_DEFAULT_USER: guest\nRABBITMQ_DEFAULT_PASS: guest",
    "local bucket": "MINIO_ROOT_USER=minioadmin\nMINIO_ROOT_PASSWORD=minioadmin",
    "one password reference": "DB_PASSWORD=op://vault/db/password\nTOKEN=vault:secret/data/app#token",
    "secret manager name": "arn:aws:secretsmanager:eu-central-1:123456789012:secret:prod/db-AbCdEf",
    "secret manager short name": "arn:aws:secretsmanager:us-west-2:123456789012:secret:MyDatabaseSecret-a1b2c3",
    "secret manager path": "projects/demo/secrets/db-password/versions/3",
    "empty variables": "API_KEY=\nTOKEN=\nPASSWORD=''\nSECRET=\"\"",
    "variable names": "Set OPENAI_API_KEY, GITHUB_TOKEN and AWS_SECRET_ACCESS_KEY before you start.",
    "unset": "unset AWS_SECRET_ACCESS_KEY GITHUB_TOKEN",
    "dot-net assembly": "mscorlib, Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089",
    "masked by the tool": "✓ Logged in to github.com\n- Token: gho_************************************",
    "masked by aws": "access_key   ****************WXYZ shared\nsecret_key   ****************abcd shared",
    "configuration of a scanner": "detect-secrets:\n  rev: v1.5.0\n  args: ['--baseline', '.secrets.baseline']",
    "service list": "kpasswd\t\t464/tcp\nkpasswd\t\t464/udp\nldaps\t\t636/tcp",
    "manual pages": "man5/nscd.conf.5 man5/passwd.5 man5/proc.5 man1/passwd.1",
    "name of a managed key": '"kmsKeyId": "S3_MANAGED_KEY"\nSSEType=KMS,KMSMasterKeyId=alias/aws/s3',
    "id of a managed key": '"KmsKeyId": "arn:aws:kms:eu-central-1:123456789012:key/{i0}"',
    "local compose with a name": (
        "services:\n  db:\n    image: postgres:18-alpine\n    environment:\n      POSTGRES_DB: ledger_test\n"
        "      POSTGRES_USER: ledger\n      POSTGRES_PASSWORD: ledger\n    ports:\n      - 127.0.0.1:55432:5432"
    ),
    "port of the next command": "docker login registry.example.net\ndocker run -d -p 5432:5432 app\nls",
    "options of the next command": "mysqldump shop\nrsync -p22 a b\nzip -r a.zip x\nserve -P 8080 .",
    "docker secret": "secrets:\n  db_password:\n    external: true",
    "nginx variable": "proxy_set_header Authorization $http_authorization;",
    "cookie settings": "SESSION_COOKIE_SECURE = True\nCSRF_COOKIE_NAME = 'csrftoken'",
    "key bindings": '{"key": "ctrl+shift+p", "command": "workbench.action.showCommands"}',
}

EXAMPLES = {
    "aws documented pair": f"aws_access_key_id = {AWS_ID}\naws_secret_access_key = {AWS_SECRET}",
    "aws documented environment": f"AWS_ACCESS_KEY_ID={AWS_ID} AWS_SECRET_ACCESS_KEY={AWS_SECRET} aws s3 ls",
    "stripe documented key": f"stripe.api_key = '{STRIPE_DOCUMENTED}'",
    "azurite key": f"DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey={AZURITE};",
    "documented web token": f"Authorization: Bearer {JWT_DOCUMENTED}",
    "basic of the standard": "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
    "github of crosses": "GITHUB_TOKEN=ghp_" + "x" * 36,
    "openai cut short": 'OpenAI(api_key="sk-...")  # or sk-proj-...',
    "anthropic cut short": "export ANTHROPIC_API_KEY=sk-ant-api03-...",
    "anthropic of words": "ANTHROPIC_API_KEY=sk-ant-dummy-not-a-key",
    "openai of crosses": "OPENAI_API_KEY=sk-" + "x" * 48,
    "slack in words": "SLACK_BOT_TOKEN=xoxb-your-bot-token",
    "yours": "API_KEY=YOUR_API_KEY\ntoken: your-token-here\npassword = your_password",
    "angle brackets": "password: <your-password>\nAuthorization: Bearer <token>\n--token=<YOUR_TOKEN>",
    "replace me": "SECRET_KEY=REPLACE_ME\nDB_PASSWORD=changeme\nTOKEN=TODO",
    "crosses": "API_KEY=xxxxxxxxxxxxxxxx\nTOKEN=XXXX-XXXX-XXXX-XXXX",
    "stars": 'password: "********"\nTOKEN=****************',
    "dots": 'password = "..."\nsecret: …',
    "redacted by others": "password=[REDACTED]\ntoken: <redacted>\nAuthorization: ***",
    "redacted here": "GITHUB_TOKEN=[redacted:github-token]\nAuthorization: Bearer [redacted:bearer-token]",
    "url in capitals": "postgres://USER:PASSWORD@HOST:PORT/DATABASE",
    "url in brackets": "https://<user>:<token>@git.example.net/team/app.git",
    "url with variable": "postgres://app:${DB_PASSWORD}@db:5432/app",
    "key without a body": "-----BEGIN " + "PRIVATE KEY-----\n...\n-----END " + "PRIVATE KEY-----",
    "header of a key": "The file must begin with `-----BEGIN " + "RSA PRIVATE KEY-----`.",
    "explained github": "GitHub tokens begin with `ghp_`, `gho_` or `github_pat_` and are 40 characters long.",
    "explained slack": "A bot token starts with `xoxb-`, a user token with `xoxp-`, an app token with `xapp-`.",
    "explained stripe": "Live keys start with sk_live_, test keys with sk_test_, webhooks with whsec_.",
    "explained google": "An API key (AIza...) is not an OAuth token (ya29...).",
    "explained web tokens": "A JWT has three parts, header.payload.signature; the header starts with eyJ.",
    "zero uuid": "api_key: 00000000-0000-0000-0000-000000000000",
}

IDENTIFIERS = {
    "git log": "commit {h40}\nMerge: {h7} {h7}\nAuthor: Jo <jo@example.net>\n\n    token refresh",
    "git short log": "{h7} auth: rotate the API key\n{h7} password reset",
    "git diff head": "diff --git a/secret.py b/secret.py\nindex {h7}..{h7} 100644\n--- a/secret.py\n+++ b/secret.py",
    "git revision": "$ git rev-parse HEAD\n{h40}",
    "git tree": "100644 blob {h40}\tsrc/auth/token.py\n040000 tree {h40}\tsrc/secrets",
    "sha-256 sums": "{h64}  dist/app-1.2.3.tar.gz\n{h64} *dist/app-1.2.3.zip",
    "md5 sum": "{h32}  disk.iso",
    "npm lock": '"node_modules/js-tokens": {\n  "version": "4.0.0",\n  "integrity": "sha512-{x64}"\n}',
    "yarn lock": (
        'js-tokens@^4.0.0:\n  resolved "https://npm.internal.example.net/js-tokens/-/js-tokens-4.0.0.tgz#{h40}"\n'
        "  integrity sha512-{x64}"
    ),
    "go sums": "github.com/golang-jwt/jwt/v5 v5.2.1 h1:{x32}\ngithub.com/golang-jwt/jwt/v5 v5.2.1/go.mod h1:{x32}",
    "cargo lock": '[[package]]\nname = "secrecy"\nversion = "0.8.0"\nchecksum = "{h64}"',
    "pip hashes": "tokenizers==0.20.3 \\\n    --hash=sha256:{h64} \\\n    --hash=sha256:{h64}",
    "poetry lock": 'content-hash = "{h64}"\nfiles = [\n    {file = "keyring-25.whl", hash = "sha256:{h64}"},\n]',
    "flake lock": '"narHash": "sha256-{x32}",\n"rev": "{h40}"',
    "nix store": "/nix/store/{l32}-openssl-3.0.13/lib/libcrypto.so.3",
    "image digest": "ghcr.io/team/token-service@sha256:{h64}",
    "containers": "CONTAINER ID   IMAGE\n{h12}   vault:1.15\n{h12}   postgres:16",
    "uuids": "request {i0} of session {i0} took 12 ms",
    "tool ids": "toolu_01{a22} call_{a24} fc_0{h48} msg_01{a22} req_011{a21}",
    "response ids": "resp_0{h48} rs_0{h48} chatcmpl-{a29} gen-1700000000-{a20}",
    "trace ids": "traceparent: 00-{h32}-{h16}-01\nx-request-id: {i0}\nx-amzn-trace-id: Root=1-{h8}-{h24}",
    "entity tags": 'ETag: "{h32}"\nIf-None-Match: W/"{h40}"',
    "cache keys": "prompt_cache_key: {i0}\nidempotency_key={i0}\nRestored cache from key: node-modules-{h64}",
    "pods": "api-7d9c6b5f4d-x2k9p   1/1   Running\nsecret-store-csi-driver-9xk2v   3/3   Running",
    "public ssh key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{a43} jo@example",
    "public rsa key": "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{b360} jo@example",
    "known hosts": "|1|{x20}|{x20} ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTY{b100}=",
    "fingerprint": "SHA256:{b43} jo@example (ED25519)",
    "public pem": "-----BEGIN PUBLIC KEY-----\n{t6}\n-----END PUBLIC KEY-----",
    "certificate": "-----BEGIN CERTIFICATE-----\n{t18}\n-----END CERTIFICATE-----",
    "certificate request": "-----BEGIN CERTIFICATE REQUEST-----\n{t10}\n-----END CERTIFICATE REQUEST-----",
    "public pgp": "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n{t12}\n=abcd\n-----END PGP PUBLIC KEY BLOCK-----",
    "pgp signature": "-----BEGIN PGP SIGNATURE-----\n\n{t8}\n=abcd\n-----END PGP SIGNATURE-----",
    "age recipient": "age1{l58}",
    "wireguard peer": "[Peer]\nPublicKey = {x32}\nAllowedIPs = 10.8.0.3/32",
    "image as data": '<img alt="key" src="data:image/png;base64,{b400}">',
    "font as data": "src: url(data:font/woff2;base64,d09GMgABAAAAA{b300}) format('woff2');",
    "hex dump": "00000000: 7061 7373 776f 7264 3a20 6162 6364 6566  password: abcdef\n00000010: {h4} {h4} {h4} {h4}",
    "disassembly": "0000000000401136 <main>:\n  401136:\t55                   \tpush   %rbp",
    "stack trace": "#0  0x00007f3c5a1b2c3d in token_next () at lexer.c:118\n#1  0x000055d0c0ffee00 in main ()",
    "colours": "--token-keyword: #c678dd;\n--token-string: #98c379;\ncolor: rgba(255, 0, 128, .5)",
    "dates": "2026-01-01T10:00:00.123456Z 2026-01-01 1700000000000",
    "versions": "v1.2.3-rc.1+build.{h7} 4.0.0-20240101.abcdef0 python-jose[cryptography]==3.3.0",
    "long path": "/home/dev/project/packages/auth/src/tokens/refresh/password-reset-flow.integration.spec.ts:120:15",
    "pnpm path": "node_modules/.pnpm/@babel+core@7.24.0_supports-color@8.1.1/node_modules/@babel/core/lib/index.js",
    "url with versions": "https://unpkg.com/react@18.2.0/umd/react.production.min.js",
    "url with port": "http://localhost:8080/login?next=%2Fusers%2F42&lang=en#token",
    "url of ssh": "git@github.com:team/app.git ssh://git@github.com:22/team/secrets.git",
    "url with user": "https://jo@git.example.net/team/app.git",
    "url with ids": "https://docs.example.net/document/d/{w44}/edit?usp=sharing",
    "url of a commit": "https://github.com/team/app/commit/{h40}#diff-{h64}R12",
    "mail addresses": "Co-Authored-By: Jo <noreply@example.net>\nReported-by: password-bot@example.net",
    "message id": "Message-ID: <{a32}@mail.example.net>",
    "ip and mac": "inet6 fe80::1ff:fe23:4567:890a/64 ether 02:42:ac:11:00:02 10.0.0.0/8",
    "sri in html": '<script src="/app.js" integrity="sha384-{x48}" crossorigin="anonymous"></script>',
    "source map": '{"version":3,"sources":["token.ts"],"mappings":"AAAA,SAASA,EAAMC,GACb,OAAOA,EAAEC,MAAM,IAAIC,KAAI"}',
    "base64 text": "VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZy4=",
    "snowflake ids": "guild 1097163728462815243 channel 1097163729117130843",
    "ulids": "01ARZ3NDEKTSV4RRFFQ69G5FAV 01BX5ZZKBKACTAV9WEVGEMMVRZ",
    "mangled names": "_ZN4core3fmt9Formatter12pad_integral17h{h16}E",
    "bazel": 'http_archive(name = "rules_go", sha256 = "{h64}", urls = ["https://example.net/a.zip"])',
    "blockchain address": "0x{h40} sent 0x{h64}",
    "matrix of numbers": "weights = [0.12345678, -0.98765432, 1e-05, 3.14159265]",
    "build output": "dist/assets/token-{a8}.js   142.31 kB │ gzip: 45.20 kB",
}

GROUPS = {
    "mentions": MENTIONS,
    "code": CODE,
    "settings": SETTINGS,
    "examples": EXAMPLES,
    "identifiers": IDENTIFIERS,
}


def negatives() -> dict[str, str]:
    """Return every text by its name."""
    found = dict[str, str]()
    for group in GROUPS.values():
        for name, template in group.items():
            assert name not in found, name
            found[name] = made(name, template)
    return found


def untouchable_rows() -> dict[str, dict[str, Any]]:
    """Return rows whose fields must stay even though they look like credentials: signatures, encrypted parts, media."""
    looks = {
        "github": made("in a field, github", "ghp_{c30}"),
        "web token": made("in a field, web token", "{j256}"),
        "aws": made("in a field, aws", "Ab+/AKIA{S16}/x9=={b200}"),
        "random": made("in a field, random", "EqQB{b600}=="),
        "fernet": made("in a field, fernet", "gAAAAAB{w600}=="),
    }
    rows = dict[str, dict[str, Any]]()
    for name, value in looks.items():
        rows[f"claude signature, {name}"] = _claude(
            {"type": "thinking", "thinking": "Let me see.", "signature": value}
        )
        rows[f"claude redacted thinking, {name}"] = _claude({"type": "redacted_thinking", "data": value})
        rows[f"codex encrypted content, {name}"] = _codex(
            {"type": "reasoning", "summary": [], "content": None, "encrypted_content": value}
        )
        rows[f"pi thinking signature, {name}"] = _pi(
            {"type": "thinking", "thinking": "Let me see.", "thinkingSignature": value}
        )
        rows[f"claude image, {name}"] = _claude(
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": value}}
        )
        rows[f"pi image, {name}"] = _pi({"type": "image", "data": value, "mimeType": "image/png"})
        rows[f"codex image, {name}"] = _codex(
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_image", "image_url": f"data:image/png;base64,{value}"}],
            }
        )
    signed = json.dumps({"v": 1, "id": "msg_0" + looks["random"], "phase": "final"})
    rows["pi text signature"] = _pi({"type": "text", "text": "Done.", "textSignature": signed})
    return rows


def _claude(block: dict[str, Any]) -> dict[str, Any]:
    usage = {"input_tokens": 12, "cache_read_input_tokens": 0, "output_tokens": 7}
    message = {"id": "msg_01Ab", "role": "assistant", "content": [block], "usage": usage}
    return {"type": "assistant", "message": message, "uuid": "u1", "timestamp": STAMP, "sessionId": SESSION}


def _codex(payload: dict[str, Any]) -> dict[str, Any]:
    return {"timestamp": STAMP, "type": "response_item", "payload": payload}


def _pi(block: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": [block], "stopReason": "stop"}
    return {
        "type": "message",
        "id": "9687b60e",
        "parentId": "98a40b58",
        "timestamp": STAMP,
        "message": message,
    }
