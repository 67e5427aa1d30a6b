"""Which files hold secrets, which calls show them: told apart from those that only look so."""

from __future__ import annotations

import json

import pytest

from unabridged.archive.redact.commands import masks_output
from unabridged.archive.redact.files import sensitive_path

SENSITIVE = """
.env
.env.local
.env.production
config/.env
/srv/app/.env.staging.local
prod.env
.envrc
~/.netrc
_netrc
~/.pgpass
~/.my.cnf
~/.git-credentials
~/.npmrc
~/.pypirc
~/.docker/config.json
~/.aws/credentials
/root/.aws/credentials
~/.kube/config
~/.ssh/id_rsa
~/.ssh/id_ed25519
/home/dev/.ssh/id_ecdsa
deploy_key.pem
certs/server.key
release.p12
store.pfx
release.jks
android/app/upload.keystore
~/.gnupg/secring.gpg
~/.gnupg/private-keys-v1.d/AB.key
terraform.tfstate
infra/terraform.tfstate.backup
prod.auto.tfvars
secrets.tfvars
config/master.key
/etc/shadow
.htpasswd
~/.config/gh/hosts.yml
~/.config/gcloud/application_default_credentials.json
~/.config/rclone/rclone.conf
~/.codex/auth.json
~/.claude/.credentials.json
~/.cargo/credentials.toml
~/.vault-token
/run/secrets/db_password
/proc/self/environ
wg0.conf.key
vpn/client.ovpn
passwords.kdbx
C:\\Users\\dev\\.aws\\credentials
C:\\app\\.env
""".strip().splitlines()

HARMLESS = """
.env.example
.env.sample
.env.template
config/.env.dist
README.md
src/env.py
src/environment.ts
env/bin/activate
id_rsa.pub
~/.ssh/id_ed25519.pub
~/.ssh/known_hosts
~/.ssh/config
src/secrets/store.py
docs/secrets.md
tests/test_credentials.py
tokenizer.json
src/token.ts
keyboard.py
monkey.key.md
package.json
package-lock.json
Makefile
src/auth.ts
password_reset.html
components/PasswordField.tsx
keys.go
certs/ca.crt
/etc/passwd
/etc/hosts
docker/Dockerfile
main.tf
variables.tf
.gitignore
.npmignore
.envoy.yaml
""".strip().splitlines()

SHOWING = """
cat .env
cat ./.env
cat /srv/app/.env.production
cd app && cat .env
cat < .env
cat .env | grep DB
cat .env*
head -n 5 .env.local
tail -1 ~/.pgpass
less ~/.aws/credentials
more .env
bat --plain ~/.netrc
nl -ba .env
sudo cat /etc/shadow
base64 server.key
xxd certs/server.key
strings release.p12
od -c ~/.ssh/id_ed25519
grep PASSWORD .env
grep -n . .env
rg -n . .env
sed -n '1,5p' .env
awk -F= '{print $2}' .env
cut -d= -f2 .env
sort .env
diff .env .env.production
jq . ~/.docker/config.json
find . -name '.env' -exec cat {} +
find . -name .env | xargs cat
for f in .env .env.local; do cat $f; done
cp .env /dev/stdout
tee < .env
bash -lc 'cat .env'
sh -c "cat .env"
ssh build.internal.example.net cat /srv/.env
ssh build.internal.example.net 'cat /srv/.env'
docker exec app cat /app/.env
docker compose exec -T web cat .env
kubectl exec web-0 -- cat /run/secrets/db_password
git show HEAD:.env
git diff .env
python -c "print(open('.env').read())"
node -e "console.log(require('fs').readFileSync('.env', 'utf8'))"
openssl rsa -in server.key -text
cat ~/.kube/config
cat ~/.config/gh/hosts.yml
cat ~/.codex/auth.json
cat /proc/self/environ
cat terraform.tfstate
timeout 5 cat .env
nice -n 5 cat .env
TERM=dumb cat .env
echo start; cat .env; echo end
true && cat .env || echo none
echo "$(cat .env)"
echo `cat .env`
type .env
Get-Content .env
""".strip().splitlines()

SILENT = """
cat .env.example
cat README.md
cat Makefile
cat id_rsa.pub
cat ~/.ssh/id_ed25519.pub
cat src/env.py
cat docs/secrets.md
ls
ls -la .env
ls -la
test -f .env && echo yes
stat .env
wc -l .env
chmod 600 .env
rm .env
touch .env
cp .env.example .env
mv .env .env.bak
echo .env >> .gitignore
git add .env.example
git status
git log --oneline -- .env
grep -rn "password" src
rg -n "process.env" src
pytest tests/test_env.py
env FOO=1 make test
docker run --env-file .env app
docker compose --env-file .env up -d
npm test
cargo build
set -e; make
cat package.json | jq .version
sed -n '1,20p' src/auth/token.ts
python scripts/rotate_keys.py --dry-run
""".strip().splitlines()


@pytest.mark.parametrize("path", SENSITIVE)
def test_a_file_that_holds_secrets_is_known_by_its_path(path: str) -> None:
    assert sensitive_path(path)


@pytest.mark.parametrize("path", HARMLESS)
def test_a_file_that_only_sounds_like_secrets_is_let_be(path: str) -> None:
    assert not sensitive_path(path)


@pytest.mark.parametrize("command", SHOWING)
def test_a_command_that_shows_secrets_is_masked_however_a_host_writes_it(command: str) -> None:
    assert masks_output("Bash", json.dumps({"command": command, "description": "look"}))
    assert masks_output("bash", json.dumps({"command": command, "timeout": 5}))
    assert masks_output("exec_command", json.dumps({"cmd": command, "yield_time_ms": 1000}))
    assert masks_output("shell", json.dumps({"command": ["bash", "-lc", command], "workdir": "/p"}))
    assert masks_output("bash", command)


@pytest.mark.parametrize("command", SILENT)
def test_a_command_that_shows_no_secrets_is_let_be_however_a_host_writes_it(command: str) -> None:
    assert not masks_output("Bash", json.dumps({"command": command, "description": "look"}))
    assert not masks_output("exec_command", json.dumps({"cmd": command, "yield_time_ms": 1000}))
    assert not masks_output("shell", json.dumps({"command": ["bash", "-lc", command], "workdir": "/p"}))
    assert not masks_output("bash", command)


READS = [
    ("Read", {"file_path": "/p/.env"}),
    ("Read", {"file_path": "/p/.env", "offset": 1, "limit": 20}),
    ("read", {"path": ".env"}),
    ("read_file", {"path": "/home/dev/.aws/credentials"}),
    ("View", {"file_path": "certs/server.key"}),
    ("Grep", {"pattern": "KEY", "path": "/p/.env", "output_mode": "content"}),
    ("grep", {"pattern": ".", "path": ".env"}),
    ("mcp__filesystem__read_file", {"path": "/p/.env"}),
    ("mcp__filesystem__read_multiple_files", {"paths": ["/p/a.md", "/p/.env"]}),
]

OTHER_CALLS = [
    ("Read", {"file_path": "/p/.env.example"}),
    ("Read", {"file_path": "/p/README.md"}),
    ("Grep", {"pattern": "\\.env", "path": "/p/src", "output_mode": "content"}),
    ("Glob", {"pattern": "**/.env*"}),
    ("LS", {"path": "/p"}),
    ("WebFetch", {"url": "https://docs.example.net/dotenv", "prompt": "what is .env"}),
    ("Task", {"description": "look", "prompt": "Read the .env.example and explain passwords"}),
    ("TodoWrite", {"todos": [{"content": "document .env", "status": "pending"}]}),
]


@pytest.mark.parametrize(("tool", "arguments"), READS)
def test_a_tool_that_reads_a_sensitive_file_is_masked(tool: str, arguments: dict[str, object]) -> None:
    assert masks_output(tool, json.dumps(arguments))


@pytest.mark.parametrize(("tool", "arguments"), OTHER_CALLS)
def test_a_tool_that_reads_nothing_sensitive_is_let_be(tool: str, arguments: dict[str, object]) -> None:
    assert not masks_output(tool, json.dumps(arguments))
