"""The identity file: what starts the server, and the message that says why it doesn't."""

from __future__ import annotations

import json

import pytest
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519

from envsync.errors import UsageError
from envsync.server.auth.caller import TOKEN_SCOPES
from envsync.server.auth.identity import parse_identity, read_identity_file

PEM = (
    ed25519.Ed25519PrivateKey.generate()
    .public_key()
    .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    .decode()
)
ENTRY = {
    "name": "sso",
    "issuer": "https://sso.example/realms/eng",
    "audience": "https://runtime.example",
    "jwks": "https://sso.example/keys",
}


def parse(*entries):
    return parse_identity(yaml.safe_dump({"issuers": list(entries)}).encode(), "identity.yaml")


def fault_of(*entries):
    with pytest.raises(UsageError) as caught:
        parse(*entries)
    assert caught.value.code == "E752"
    start = "the identity file identity.yaml: "
    assert caught.value.message.startswith(start)
    return caught.value.message.removeprefix(start)


def test_the_least_and_its_defaults():
    (config,) = parse(ENTRY)
    assert (config.subject, config.scope_claim, config.fixed_scopes) == ("{sub}", "scope", ())
    assert (config.allowed_scopes, config.agents, config.environments) == (TOKEN_SCOPES, None, ())


def test_everything():
    entry = {name: value for name, value in ENTRY.items() if name != "jwks"} | {
        "keys": [PEM],
        "subject": "{org}:{sub}",
        "scopes": {"fixed": ["sessions:own"]},
        "allowedScopes": ["sessions:own", "studio"],
        "agents": ["support", "support"],
        "environments": ["{org}/*", "users/{sub}"],
    }
    (config,) = parse(entry)
    assert [key.algorithm for key in config.keys] == ["EdDSA"]
    assert (config.scope_claim, config.fixed_scopes) == ("", ("sessions:own",))
    assert (config.agents, config.environments) == (("support",), ("{org}/*", "users/{sub}"))


def test_json_is_yaml(tmp_path):
    path = tmp_path / "identity.json"
    path.write_text(json.dumps({"issuers": [ENTRY]}))
    assert read_identity_file(path)[0].name == "sso"


def test_no_issuers_is_a_list_too():
    assert parse() == ()


def test_unknown_keys_are_ignored_with_a_warning(caplog):
    parse({**ENTRY, "maxLifetime": "1h"})
    assert "issuer sso: ignored maxLifetime" in caplog.text


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_identity_file(tmp_path / "absent.yaml")


@pytest.mark.parametrize("text", [b"issuers: [", b"\xff", b"- a", b"", b"issuers: {}", b"\x00"])
def test_text_that_is_no_identity_file(text):
    with pytest.raises(UsageError):
        parse_identity(text, "identity.yaml")


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"name": "SSO"}, "issuer SSO: name: must match ^[a-z][a-z0-9-]{0,31}$"),
        ({"name": 7}, "issuer #1: name: must be a text that is not empty"),
        ({"issuer": ""}, "issuer sso: issuer: must be a text that is not empty"),
        ({"issuer": "urn:nylorun:x"}, "issuer sso: issuer: urn:nylorun: is the Runtime's own"),
        ({"audience": ["x"]}, "issuer sso: audience: must be a text that is not empty"),
        ({"keys": [PEM]}, "issuer sso: give exactly one of jwks and keys"),
        (
            {"jwks": "http://sso.example/keys"},
            "issuer sso: jwks: must be an https address (http only on this machine)",
        ),
        (
            {"jwks": "file:///etc/keys"},
            "issuer sso: jwks: must be an https address (http only on this machine)",
        ),
        ({"jwks": "https://[x"}, "issuer sso: jwks: is not a web address"),
        (
            {"jwks": "https://user:pw@sso.example/keys"},
            "issuer sso: jwks: must not hold credentials",
        ),
        (
            {"subject": "carol"},
            "issuer sso: subject: must name a claim, or every token is the same person",
        ),
        (
            {"subject": "{sub"},
            "issuer sso: subject: braces stand around claim names only, as in {sub}",
        ),
        ({"scopes": "scope"}, "issuer sso: scopes: must be {claim: NAME} or {fixed: [SCOPE, ...]}"),
        (
            {"scopes": {"claim": "a", "fixed": []}},
            "issuer sso: scopes: must be {claim: NAME} or {fixed: [SCOPE, ...]}",
        ),
        (
            {"scopes": {"fixed": ["studio"]}},
            "issuer sso: scopes.fixed: studio not in allowedScopes",
        ),
        (
            {"allowedScopes": ["agents:write"]},
            (
                "issuer sso: allowedScopes: there are agents:read, sessions:own, "
                "environments:write, studio, not agents:write"
            ),
        ),
        ({"allowedScopes": []}, "issuer sso: allowedScopes: must name at least one scope"),
        ({"agents": "support"}, "issuer sso: agents: must be a list of texts"),
        (
            {"environments": ["*"]},
            "issuer sso: environments: * makes no Environment id, nor one with /*",
        ),
        (
            {"environments": ["{sub}*"]},
            "issuer sso: environments: {sub}* makes no Environment id, nor one with /*",
        ),
        ({"environments": ["a"] * 17}, "issuer sso: environments: at most 16 grants"),
    ],
)
def test_entries_that_stop_the_server(change, fault):
    assert fault_of({**ENTRY, **change}) == fault


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        ([], "issuer sso: keys: must hold 1 to 16 PEM public keys"),
        ([PEM] * 17, "issuer sso: keys: must hold 1 to 16 PEM public keys"),
        (["x"], "issuer sso: keys[0]: not a PEM public key"),
    ],
)
def test_keys_that_stop_the_server(keys, fault):
    entry = {name: value for name, value in ENTRY.items() if name != "jwks"}
    assert fault_of({**entry, "keys": keys}) == fault


def test_duplicates():
    other = {**ENTRY, "issuer": "https://other.example"}
    assert fault_of(ENTRY, other) == "issuer sso: name: another issuer has it"
    other = {**ENTRY, "name": "other"}
    assert fault_of(ENTRY, other) == "issuer other: issuer: another issuer has it"


def test_an_entry_is_a_mapping():
    assert fault_of("sso") == "issuer #1: must be a mapping"


def test_http_is_fine_on_this_machine():
    for host in ("127.0.0.1:8080", "localhost", "[::1]:1"):
        assert parse({**ENTRY, "jwks": f"http://{host}/keys"})
