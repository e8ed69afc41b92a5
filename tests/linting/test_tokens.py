"""Text that looks like a token. Every sample is made up, and put together here, so that no
scanner takes this file for a leak."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Lint = Callable[..., Any]

BODY = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2dE3fG4hI5jK6lM7nO8pQ9rS0tU1v"
HEX = "0f6f1a1d5b6a8ddba5ad42e1aa5eb8e0b3c2c6f5d8a0f3a8a9b1c2d3e4f50617"

TOKENS = {
    "a GitHub token": "ghp" + f"_{BODY[:36]}",
    "a GitLab token": "glpat" + f"-{BODY[:20]}",
    "a Slack token": "xoxb" + f"-284910573620-{BODY[:24]}",
    "an AWS access key": "AKIA" + "Z7Q2M4N6P8R1S3T5",
    "a Stripe key": "sk_live" + f"_{BODY[:24]}",
    "an Anthropic key": "sk-ant" + f"-api03-{BODY[:40]}",
    "an OpenAI key": "sk-proj" + f"-{BODY[:48]}",
    "a Google API key": "AIza" + BODY[:35],
    "an npm token": "npm" + f"_{BODY[:36]}",
    "a PyPI token": "pypi" + f"-AgE{BODY[:56]}",
    "a Hugging Face token": "hf" + f"_{BODY[:34]}",
    "a SendGrid key": "SG" + f".{BODY[:22]}.{BODY[:43]}",
    "a DigitalOcean token": "dop_v1" + f"_{HEX}",
    "a Vault token": "hvs" + f".{BODY[:30]}",
    "an age secret key": "AGE-SECRET-KEY-1" + BODY.upper()[:58],
    "a JSON Web Token": "eyJ" + f"{BODY[:20]}.eyJ{BODY[:30]}.{BODY[:43]}",
    "a private key": "-----BEGIN OPENSSH PRIVATE" + " KEY-----",
}


@pytest.mark.parametrize(("what", "token"), TOKENS.items())
def test_every_known_form_is_an_error_in_a_command(command: Lint, what: str, token: str) -> None:
    found = command(f"set -eu\nlogin --with '{token}'")
    (problem,) = found.of("E301")
    assert problem.is_error
    assert problem.private
    assert problem.message == f"this looks like {what}"
    assert str(problem.position) == "manifests/box.yaml:4:21"
    assert found.marked("E301") == [token]
    assert token not in f"{problem.message}{problem.label}{problem.remedy}"


@pytest.mark.parametrize(
    "where",
    [
        "# {}\nkind: pod\n",
        "files: [{{path: x, files: {{a: '{}'}}}}]\n",
        "secrets: {{A: {{type: bearer, description: '{}'}}}}\n",
    ],
)
def test_comments_files_and_descriptions_are_searched_too(linted: Lint, where: str) -> None:
    token = TOKENS["a GitHub token"]
    found = linted(where.format(token))
    assert found.marked("E301") == [token]


def test_json_is_searched_too(linted: Lint) -> None:
    token = TOKENS["an npm token"]
    found = linted(f'{{"setup": [{{"command": "x {token}"}}]}}', "manifests/box.json")
    assert found.marked("E301") == [token]


@pytest.mark.parametrize(
    ("script", "marked"),
    [
        ("git clone https://bob:hunter2-hunter2@git.acme.example/x", "hunter2-hunter2"),
        (
            "curl -H 'Authorization: Bearer Zx81qPw0TnvR52kLmA9d' https://a.example",
            "Zx81qPw0TnvR52kLmA9d",
        ),
    ],
)
def test_a_password_in_a_url_and_a_bearer_token(command: Lint, script: str, marked: str) -> None:
    assert command(script).marked("E301") == [marked]


@pytest.mark.parametrize(
    "script",
    [
        "ghp_" + "x" * 36,
        "AKIA" + "IOSFODNN7EXAMPLE",
        "ghp_short",
        "git clone https://x-access-token:$GITHUB_TOKEN@git.acme.example/x",
        "git clone https://bob@git.acme.example/x",
        "git clone https://user:<password>@git.acme.example/x",
        'curl -H "Authorization: Bearer $API_TOKEN" https://a.example',
        "echo 'Authorization: Bearer YOUR-TOKEN-HERE-your-token'",
        f"echo '{HEX}  tool.tar.gz' | sha256sum -c",
        f"docker pull tool@sha256:{HEX}",
        "pip install sk-learn-extensions-for-a-very-long-name",
        "cp id_ed25519.pub -----BEGIN-PUBLIC-KEY-----",
        "curl postgres://localhost:5432/data@x",
        "task-ant-colony sk-",
        "echo npm_config_registry npm_package_version",
    ],
)
def test_what_only_looks_alike_is_left_alone(command: Lint, script: str) -> None:
    found = command(script)
    assert found.of("E301") == []
    assert found.of("W302") == []


@pytest.mark.parametrize(
    ("script", "marked"),
    [
        ("export API_TOKEN=f8Kd93kfLs0qPz7TmVb2", "f8Kd93kfLs0qPz7TmVb2"),
        ("DB_PASSWORD='f8Kd93kfLs0qPz7TmVb2' ./run", "f8Kd93kfLs0qPz7TmVb2"),
        (f"AWS_SECRET_ACCESS_KEY={BODY[:40]} aws s3 ls", BODY[:40]),
        (f"NYLORUN_SERVER_KEY_TOKEN={HEX} run", HEX),
        ("API_TOKEN=$OTHER ./run", None),
        ("API_TOKEN=changeme-changeme-1 ./run", None),
        ("TOKEN_FILE=/run/secrets/token-file-1", None),
        ("PASSWORD_STORE=pass-the-hash-please", None),
        ("API_TOKEN=short1", None),
        ("MAX_TOKENS=128000 ./run", None),
        ("SECRET_NAME=projects/acme/secrets/data/versions/1", None),
    ],
)
def test_an_assignment_that_looks_like_a_secret_is_a_warning(
    command: Lint, script: str, marked: str | None
) -> None:
    found = command(script)
    assert found.marked("W302") == ([marked] if marked else [])
    assert all(problem.private and not problem.is_error for problem in found.of("W302"))


def test_an_overlay_is_searched_as_well() -> None:
    from envsync.documents import parse
    from envsync.linting.linter import lint
    from envsync.project.overlays import Layers
    from envsync.resources.sources import Source

    token = TOKENS["a GitHub token"]
    base = parse(b"kind: pod\n", "manifests/a.yaml")
    overlay = parse(f"setup: [{{command: x {token}}}]\n".encode(), "overlays/p/manifests/a.yaml")
    layers = Layers(base, overlay)
    (problem,) = lint(Source("manifest", "a", layers, layers.merged(), layers.merged()))
    assert str(problem.position) == "overlays/p/manifests/a.yaml:1:21"


def test_the_place_counts_characters_not_bytes(linted: Lint) -> None:
    token = TOKENS["a GitHub token"]
    assert linted(f"\ufeff# größe ä {token}\nkind: pod\n").of("E301")[0].position.column == 11
