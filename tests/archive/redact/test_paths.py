"""Reads of sensitive files."""

from __future__ import annotations

import json
import shlex

import pytest

from unabridged.archive.redact.paths import masks_output, sensitive_path

SECRET_FILES = shlex.split("""
.env /srv/app/.env.local a/.env.production prod.env .env.staging.local .envrc .env* ~/.ssh/id_rsa id_ed25519 id_rsa_work
server.pem /etc/ssl/private/site.key cert.p12 app.jks .netrc _netrc .pgpass .npmrc .pypirc .git-credentials .htpasswd
.aws/credentials ~/.aws/config .kube/config kubeconfig dev.kubeconfig .docker/config.json secrets.yaml secrets.prod.yml
credentials.json config/master.key .vault-token terraform.tfvars terraform.tfstate /proc/self/environ /etc/shadow
service-account-prod.json client_secret_123.json /run/secrets/db C:/Users/x/.ssh/id_rsa .codex/auth.json
~/.config/gh/hosts.yml ~/.config/gcloud/access_tokens.db .gnupg/secring.gpg "~/.netrc"
""")
PLAIN_FILES = shlex.split("""
.env.example .env.sample .env.template .env.dist example.env id_rsa.pub src/env.py environment.ts env.d.ts .environment
keys.py secrets.py src/secrets/manager.go private_key.py README.md docs/credentials.md tokenizer.json package.json
key.go monkey.ts .ssh/known_hosts .ssh/config config.json src/environ shadow.css kube/config.yaml tokens.json
.github/ci.yml terraform.tfvars.example credentials.example.json
""")


@pytest.mark.parametrize("path", SECRET_FILES)
def test_a_file_that_holds_secrets_is_known_by_its_path(path: str) -> None:
    assert sensitive_path(path)


@pytest.mark.parametrize("path", ["", "/", ".", "x" * 10_000 + "/.env", *PLAIN_FILES])
def test_a_file_that_holds_none_is_not_taken_for_one(path: str) -> None:
    assert not sensitive_path(path)


@pytest.mark.parametrize(
    "command",
    [
        "cat .env",
        "cd x && cat .env | grep FOO",
        "head -5 /app/.env.local",
        "sudo cat /etc/shadow",
        "grep -n KEY .env",
        "bash -lc 'cat .env'",
        "docker exec web cat /app/.env",
        "ssh host 'cat ~/.aws/credentials'",
        "python -c \"print(open('.env').read())\"",
        "git show HEAD:.env",
        "git diff .env",
        "sed -n 1,5p .env",
        "awk -F= '{print $2}' .env",
        "cat <.env",
        'echo "$(cat .env)"',
        "jq . ~/.docker/config.json",
        "find . -name x; cat ./.env",
        "xargs cat < .env",
        "while read l; do echo $l; done < .env",
        "type .env",
        "Get-Content .env",
        "cat 'my dir/.env'",
        "cat .env.example .env",
        "cat 'unclosed .env",
        "gh auth token",
        "kubectl -n x get secret db -o yaml",
        "aws secretsmanager get-secret-value --secret-id x",
        "pass show mail/work",
        "cat > x <<EOF\nhi\nEOF\ncat .env",
    ],
)
def test_a_command_that_prints_secrets_has_its_output_masked(command: str) -> None:
    assert masks_output("Bash", json.dumps({"command": command}))
    assert masks_output("exec_command", json.dumps({"cmd": command}))
    assert masks_output("shell", json.dumps({"command": ["bash", "-lc", command]}))
    assert masks_output("Bash", command)


@pytest.mark.parametrize(
    "command",
    [
        "cat .env.example",
        "ls -la .env",
        "cp .env .env.bak",
        "rm .env",
        "git add .env",
        "git status",
        "source .env && pytest",
        "export $(grep -v '^#' .env | xargs) && pytest",
        "echo FOO=1 >> .env",
        "cat > .env <<EOF\nFOO=1\nEOF\n",
        "cat README.md",
        "docker compose --env-file .env up",
        "wc -l .env",
        "test -f .env && echo yes",
        "chmod 600 id_rsa",
        "ssh -i ~/.ssh/id_rsa host ls",
        'grep -rn "\\.env" src/',
        'echo "cat .env"',
        "npm test -- env",
        "kubectl get secrets",
        "python manage.py runserver",
    ],
)
def test_a_command_that_prints_none_keeps_its_output(command: str) -> None:
    assert not masks_output("Bash", json.dumps({"command": command}))


def test_tools_that_read_or_search_a_sensitive_file_are_masked() -> None:
    for tool, arguments in (
        ("Read", {"file_path": "/x/.env"}),
        ("read_file", {"path": "id_rsa", "offset": 3}),
        ("mcp__fs__read_multiple_files", {"paths": ["a.py", "server.pem"]}),
        ("Grep", {"pattern": "x", "path": ".env"}),
        ("Grep", {"pattern": "x", "glob": ".env*"}),
        ("Edit", {"file_path": ".env", "old_string": "a", "new_string": "b"}),
        ("view", {"input": {"uri": "file:///home/u/.netrc"}}),
    ):
        assert masks_output(tool, json.dumps(arguments)), tool
    assert masks_output("Read", "/x/.env")
    assert masks_output("Read", '"/x/.env"')


def test_tools_that_name_a_sensitive_file_without_showing_it_are_not_masked() -> None:
    for tool, arguments in (
        ("Read", {"file_path": "/x/app.py"}),
        ("Glob", {"pattern": "**/.env"}),
        ("LS", {"path": ".ssh"}),
        ("list_directory", {"path": "/x/.env"}),
        ("Edit", {"file_path": "a.py", "old_string": "cat .env", "new_string": ".env"}),
        ("Task", {"prompt": "cat .env and tell me"}),
        ("Read", {}),
        ("Read", None),
    ):
        assert not masks_output(tool, json.dumps(arguments)), tool


def test_paths_of_windows_and_quoted_paths_are_known() -> None:
    for path in (r"C:\Users\x\.ssh\id_rsa", '"~/.netrc"', "'/a b/.env'"):
        assert sensitive_path(path), path


def test_hostile_arguments_come_to_an_end() -> None:
    for text in (
        "<<A " * 5_000,
        "'" * 9_999,
        "cat " * 9_999 + ".env",
        "$(" * 9_999,
        "[" * 9_999,
        "kubectl " * 5_000,
    ):
        masks_output("Bash", text)
        masks_output("Bash", json.dumps({"command": text}))
    assert masks_output("Bash", "cat " * 9_999 + ".env")
