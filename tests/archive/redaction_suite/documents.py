"""Credentials in files of known make: kind → template (see `shapes`)."""

from __future__ import annotations


def armour(name: str, body: str, headers: str = "") -> str:
    """Return a block of armour; a redaction may take all of it."""
    dashes = "-" * 5
    return f"⟨{dashes}BEGIN {name}{dashes}\n{headers}‹{body}›\n{dashes}END {name}{dashes}⟩"


PRIVATE = "PRIVATE " + "KEY"

KEYS = {
    "pem-pkcs8": armour(PRIVATE, "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n{t26}"),
    "pem-pkcs8-of-4096-bits": armour(PRIVATE, "MIIJQgIBADANBgkqhkiG9w0BAQEFAASC\n{t50}"),
    "pem-rsa": armour(f"RSA {PRIVATE}", "{t25}"),
    "pem-rsa-of-4096-bits": armour(f"RSA {PRIVATE}", "{t49}"),
    "pem-ec": armour(f"EC {PRIVATE}", "{t3}"),
    "pem-dsa": armour(f"DSA {PRIVATE}", "{t8}"),
    "pem-encrypted": armour(f"ENCRYPTED {PRIVATE}", "{t20}"),
    "pem-rsa-encrypted": armour(
        f"RSA {PRIVATE}", "{t20}", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{H32}\n\n"
    ),
    "openssh-key": armour(f"OPENSSH {PRIVATE}", "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n{t6}"),
    "openssh-key-of-4096-bits": armour(
        f"OPENSSH {PRIVATE}", "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n{t48}"
    ),
    "pgp-key": armour(f"PGP {PRIVATE} BLOCK", "{t52}\n=abcd", "Version: GnuPG v2\n\n"),
    "ssh2-key": "⟨---- BEGIN SSH2 ENCRYPTED "
    + PRIVATE
    + " ----\n‹{t8}›\n---- END SSH2 ENCRYPTED "
    + PRIVATE
    + " ----⟩",
    "putty-key": (
        "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: dev\nPublic-Lines: 2\n"
        "AAAAC3NzaC1lZDI1NTE5AAAAI{a40}\n{a20}\n⟨Private-Lines: 1\n‹{x36}›\n⟩Private-MAC: {h64}"
    ),
    "wireguard": (
        "[Interface]\nPrivateKey = ‹{x32}›\nAddress = 10.8.0.2/24\n\n"
        "[Peer]\nPublicKey = {x32}\nPresharedKey = ‹{x32}›\nEndpoint = vpn.example.net:51820"
    ),
    "pem-in-json": (
        '{"type": "service_account", "project_id": "demo", "private_key": "⟨'
        "-----BEGIN "
        + PRIVATE
        + "-----\\n‹{b64}›\\n‹{b64}›\\n‹{b40}›\\n-----END "
        + PRIVATE
        + '-----\\n⟩", "client_email": "a@demo.iam.gserviceaccount.com"}'
    ),
    "pem-in-env": (
        'GITHUB_APP_KEY="⟨'
        "-----BEGIN RSA " + PRIVATE + "-----\\n‹{b64}›\\n‹{b64}›\\n-----END RSA " + PRIVATE + '-----⟩"'
    ),
    "json-web-key": '{"kty": "EC", "crv": "P-256", "x": "{y32}", "y": "{y32}", "d": "‹{y32}›"}',
    "age-identity-file": "# created: 2026-01-01T00:00:00Z\n# public key: age1{l58}\n‹AGE-SECRET-KEY-1{k58}›",
}

HOME = {
    "netrc": "machine api.internal.example.net\n  login deploy\n  password ‹{p16}›",
    "netrc-one-line": "machine api.internal.example.net login deploy password ‹{a16}›",
    "pgpass": "db.internal.example.net:5432:app:app:‹{p14}›",
    "my-cnf": "[client]\nuser=root\npassword=‹{p14}›\nhost=localhost",
    "git-credentials": "https://jo:‹{a40}›@git.internal.example.net",
    "aws-credentials": (
        "[default]\naws_access_key_id = ‹AKIA{S16}›\naws_secret_access_key = ‹{b40}›\nregion = eu-central-1"
    ),
    "npmrc": "registry=https://npm.internal.example.net/\n//npm.internal.example.net/:_authToken=‹{i0}›",
    "npmrc-basic": "//npm.internal.example.net/:_auth=‹{o23}›\nalways-auth=true",
    "pypirc": "[pypi]\nusername = __token__\npassword = ‹" + "py" + "pi-AgEIcHlwaS5vcmc{w160}›",
    "s3cfg": "[default]\naccess_key = ‹AKIA{S16}›\nsecret_key = ‹{b40}›\nuse_https = True",
    "boto": "[Credentials]\ngs_access_key_id = ‹GOOG{u16}›\ngs_secret_access_key = ‹{b40}›",
    "rclone": "[box]\ntype = sftp\nhost = files.example.net\nuser = jo\npass = ‹{w40}›",
    "docker-config": '{"auths": {"registry.internal.example.net": {"auth": "‹{o23}›"}}}',
    "kubeconfig": (
        "users:\n- name: admin\n  user:\n    client-certificate-data: {x60}\n    client-key-data: ‹{x240}›"
    ),
    "kubeconfig-token": "users:\n- name: admin\n  user:\n    token: ‹{a40}›",
    "gh-hosts": "git.example.net:\n    user: jo\n    oauth_token: ‹{a40}›\n    git_protocol: ssh",
    "htpasswd-bcrypt": "admin:‹$2y$10${a53}›",
    "htpasswd-apr1": "admin:‹$apr1${a8}${a22}›",
    "shadow-line": "deploy:‹$6${a16}${a86}›:19700:0:99999:7:::",
    "composer-auth": '{"github-oauth": {"github.com": "‹{h40}›"}}',
    "cargo-credentials": '[registries.internal]\ntoken = "‹{a36}›"',
    "gradle-properties": "signing.keyId=24875D73\nsigning.password=‹{p14}›\nossrhPassword=‹{p14}›",
    "maven-settings": "<server>\n  <username>ci</username>\n  <password>‹{p16}›</password>\n</server>",
    "nuget-config": '<packageSourceCredentials><internal><add key="ClearTextPassword" value="‹{a32}›" /></internal>',
    "wpa-supplicant": 'network={\n  ssid="office"\n  psk="‹{p16}›"\n}',
}

SYSTEMS = {
    "dotenv": "APP_ENV=production\nDB_HOST=10.0.0.5\nDB_PASSWORD=‹{p16}›\nMAIL_PASSWORD=‹{a16}›\nLOG_LEVEL=info",
    "dockerfile-env": "FROM alpine:3.20\nENV API_TOKEN=‹{a32}›\nRUN true",
    "dockerfile-arg": "ARG NPM_TOKEN=‹{a36}›",
    "compose-map": "services:\n  db:\n    environment:\n      POSTGRES_USER: app\n      POSTGRES_PASSWORD: ‹{p16}›",
    "compose-list": "    environment:\n      - MYSQL_ROOT_PASSWORD=‹{p16}›\n      - MYSQL_DATABASE=shop",
    "kubernetes-secret": ("apiVersion: v1\nkind: Secret\ntype: Opaque\ndata:\n  password: ‹{x18}›"),
    "kubernetes-string-data": "kind: Secret\nstringData:\n  api-token: ‹{a32}›",
    "kubernetes-env-value": "        env:\n        - name: DB_PASSWORD\n          value: ‹{p16}›",
    "terraform-variable": 'variable "db_password" {\n  default = "‹{p16}›"\n}',
    "terraform-attribute": 'resource "aws_db_instance" "db" {\n  username = "app"\n  password = "‹{p16}›"\n}',
    "terraform-vars": 'db_password = "‹{p16}›"\nregion      = "eu-central-1"',
    "terraform-state": '"attributes": {\n  "id": "db-1",\n  "master_password": "‹{p16}›",\n  "port": 5432\n}',
    "ansible-variables": "ansible_user: root\nansible_password: ‹{p16}›\nansible_become_pass: ‹{a12}›",
    "github-workflow": "      env:\n        DEPLOY_TOKEN: ‹{a32}›\n        NODE_ENV: production",
    "yaml-plain": "smtp:\n  host: mail.example.net\n  user: mailer\n  password: ‹{p16}›",
    "yaml-quoted": 'auth:\n  secret: "‹{p24}›"',
    "toml-string": '[database]\nuser = "app"\npassword = "‹{p16}›"',
    "ini-plain": "[mail]\nuser = mailer\npassword = ‹{p16}›",
    "spring-properties": "spring.datasource.username=app\nspring.datasource.password=‹{p16}›",
    "app-settings": '{"ConnectionStrings": {"Main": "Server=db;Database=app;User Id=app;Password=‹{p16}›"}}',
    "ado-net": "Server=tcp:db.internal.example.net,1433;Initial Catalog=app;User ID=sa;Password=‹{p16}›;Encrypt=True;",
    "odbc": "Driver={PostgreSQL};Server=db;Database=app;Uid=app;Pwd=‹{p16}›;",
    "jdbc-parameters": "jdbc:postgresql://db.internal.example.net:5432/app?user=app&password=‹{a16}›",
    "libpq-keywords": 'dsn = "host=db.internal dbname=app user=app password=‹{a16}› sslmode=require"',
    "azure-storage-connection": (
        "DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=‹{x64}›;EndpointSuffix=core.windows.net"
    ),
    "azure-service-bus": (
        "Endpoint=sb://acct.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=‹{x32}›"
    ),
    "azure-cosmos": "AccountEndpoint=https://acct.documents.azure.com:443/;AccountKey=‹{x64}›;",
    "azure-iot-hub": "HostName=hub.azure-devices.net;SharedAccessKeyName=device;SharedAccessKey=‹{x32}›",
    "kafka-jaas": (
        'sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="app" '
        'password="‹{p16}›";'
    ),
    "nginx-header": 'proxy_set_header Authorization "Basic ‹{o20}›";',
    "snmp-community": "rocommunity ‹{a14}› 10.0.0.0/8",
    "redis-conf": "bind 127.0.0.1\nrequirepass ‹{a32}›\nmaxmemory 1gb",
    "rails-database": "production:\n  adapter: postgresql\n  username: app\n  password: <%= ENV['X'] || '‹{p16}›' %>",
    "mcp-config": '{"mcpServers": {"search": {"command": "npx", "env": {"SEARCH_API_KEY": "‹{a32}›"}}}}',
    "codex-auth": '{"tokens": {"access_token": "‹{j256}›", "refresh_token": "‹rt_{w43}.{w43}›"}}',
    "claude-credentials": '{"claudeAiOauth": {"accessToken": "‹sk-ant-oat01-{w93}AA›", "expiresAt": 1790000000000}}',
    "har-header": '{"name": "Authorization", "value": "Bearer ‹{a48}›"}',
    "har-cookie": '{"name": "Cookie", "value": "⟨sessionid=‹{a32}›⟩"}',
    "log-line": '2026-01-01T10:00:00Z DEBUG auth: POST /login body={"user":"jo","password":"‹{q4}›"} status=200',
    "env-dump": "HOME=/root\nSHELL=/bin/bash\nINTERNAL_API_KEY=‹{a32}›\nPWD=/srv/app",
}

GROUPS = {"keys": KEYS, "home": HOME, "systems": SYSTEMS}
