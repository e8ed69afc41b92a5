"""The authorisation matrix: every route with every kind of caller."""

from __future__ import annotations

import json

import pytest
import yaml

from envsync.contract.assets import asset
from envsync.server.auth.access import require_scopes
from envsync.server.auth.authenticator import ByCredential, Local
from envsync.server.auth.caller import Caller, CallerKind

MANIFESTS = "/v1/environment-manifests"
VIRTUAL = {"kind": "virtual"}

READS = [
    ("GET", MANIFESTS, None),
    ("GET", f"{MANIFESTS}/one", None),
    ("GET", f"{MANIFESTS}/one/versions", None),
    ("GET", f"{MANIFESTS}/one/versions/1", None),
]
WRITES = [
    ("PUT", f"{MANIFESTS}/one", VIRTUAL),
    ("PUT", f"{MANIFESTS}/one?dryRun=true", VIRTUAL),
    ("DELETE", f"{MANIFESTS}/one", None),
    ("POST", f"{MANIFESTS}:plan", {"manifests": []}),
]
KEYS = [
    ("GET", "/v1/tenant/keys", None),
    ("GET", "/v1/tenant/keys/ci", None),
    ("PUT", "/v1/tenant/keys/ci", None),
    ("DELETE", "/v1/tenant/keys/ci", None),
]
ME = [("GET", "/v1/me", None)]
GROUPS = {"read": READS, "write": WRITES, "keys": KEYS, "me": ME}

READ_SCOPES = ["sessions:own", "environments:write"]
WRITE_SCOPES = ["environments:write"]
OK = (200, None, None)
ROLE = (403, "key_role_mismatch", None)
NO_READ = (403, "scope_required", {"scopes": READ_SCOPES})
NO_WRITE = (403, "scope_required", {"scopes": WRITE_SCOPES})
NEVER = (403, "scope_required", {"scopes": []})

# caller: (read, write, keys, me)
MATRIX = {
    "nobody": ((401, "credential_required", None),) * 4,
    "another scheme": ((401, "credential_required", None),) * 4,
    "bad key": ((401, "credential_invalid", None),) * 4,
    "bad token": ((401, "credential_invalid", None),) * 4,
    "application": (OK, OK, ROLE, OK),
    "management": (ROLE, ROLE, OK, OK),
    "studio": (OK, OK, OK, OK),
    "application in a browser": ((403, "origin_rejected", None),) * 4,
    "management in a browser": ((403, "origin_rejected", None),) * 4,
    "subject agents:read": (NO_READ, NO_WRITE, ROLE, OK),
    "subject agents:write": (NO_READ, NO_WRITE, ROLE, OK),
    "subject sessions:own": (OK, NO_WRITE, ROLE, OK),
    "subject environments:write": (OK, OK, ROLE, OK),
    "subject sessions:own environments:write": (OK, OK, ROLE, OK),
    "studio for a person": (OK, OK, (403, "subject_invalid", None), OK),
    "management for a person": (
        ROLE,
        ROLE,
        (403, "subject_invalid", None),
        (403, "subject_invalid", None),
    ),
    "token": (NO_READ, NO_WRITE, NEVER, OK),
    "token agents:read": (NO_READ, NO_WRITE, NEVER, OK),
    "token sessions:own": (OK, NO_WRITE, NEVER, OK),
    "token environments:write": (OK, OK, NEVER, OK),
    "token studio": (NO_READ, NO_WRITE, NEVER, OK),
    "token in a browser": (OK, OK, NEVER, OK),
    "token for a person": ((403, "request_rejected", None),) * 4,
    "expired token": ((401, "token_expired", None),) * 4,
    "local": (OK, OK, OK, OK),
}


def request_of(caller, key_texts, issuer):  # noqa: C901 - one case a kind of caller
    """The bearer and the headers of a kind of caller."""
    person = {"nylorun-subject": "carol", "nylorun-scopes": "environments:write"}
    browser = {"origin": "https://page.example"}
    writer = issuer.token(scope="environments:write")
    match caller.split(" "):
        case ["nobody"]:
            return None, {}
        case ["another", "scheme"]:
            return None, {"authorization": "Basic Y2Fyb2w6eA=="}
        case ["bad", "key"]:
            return "0" * 64, {}
        case ["bad", "token"]:
            return issuer.token(iss="https://nobody.example"), {}
        case ["token", "in", *_]:
            return writer, browser
        case ["token", "for", *_]:
            return writer, person
        case ["expired", "token"]:
            return issuer.token(scope="environments:write", exp=issuer.now - 31), {}
        case ["token", *scopes]:
            return issuer.token(scope=" ".join(scopes)), {}
        case ["subject", *scopes]:
            headers = {"nylorun-subject": "carol", "nylorun-scopes": " ".join(scopes)}
            return key_texts["application"], headers
        case [role, "in", *_]:
            return key_texts[role], browser
        case [role, "for", *_]:
            return key_texts[role], person
        case ["local"]:
            return None, {}
        case [role]:
            return key_texts[role], {}
    raise AssertionError(caller)


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("caller", MATRIX)
def test_the_matrix(caller, group, build, key_texts, issuer):
    chosen = Local("alice") if caller == "local" else ByCredential(issuer.trusted())
    api = build(authenticator=chosen)
    builder = build()
    wanted = MATRIX[caller][list(GROUPS).index(group)]
    bearer, headers = request_of(caller, key_texts, issuer)
    for method, path, body in GROUPS[group]:
        builder.send("PUT", f"{MANIFESTS}/one", VIRTUAL)
        builder.send("PUT", "/v1/tenant/keys/ci", bearer=key_texts["management"])
        reply = api.send(method, path, body, headers, bearer=bearer)
        if wanted == OK:
            assert reply.status == 200, (method, path, reply.body)
        else:
            assert (reply.status, reply.json["code"], reply.json.get("details")) == wanted
            # Nothing was done: what is there is there still.
            assert builder.send("GET", f"{MANIFESTS}/one").json["version"] == 1
            left = builder.send("GET", "/v1/tenant/keys/ci", bearer=key_texts["management"])
            assert left.status == 200


def test_an_insufficient_token_is_told_what_to_ask_for(build, issuer):
    api = build(authenticator=ByCredential(issuer.trusted()))
    for (method, path, body), scope in ((READS[0], "sessions:own"), (WRITES[0], WRITE_SCOPES[0])):
        reply = api.send(method, path, body, bearer=issuer.token(scope="agents:read"))
        assert reply.header("www-authenticate") == (
            f'Bearer error="insufficient_scope", scope="{scope}"'
        )
    reply = api.send(*KEYS[0], bearer=issuer.token(scope="agents:read"))
    assert reply.header("www-authenticate") is None
    headers = {"nylorun-subject": "carol", "nylorun-scopes": "agents:read"}
    assert api.send(*READS[0], headers).header("www-authenticate") is None


def test_what_is_saved_says_by_whom(build, key_texts, issuer):
    api = build(authenticator=ByCredential(issuer.trusted()))
    local = build(authenticator=Local("alice"))
    person = {"nylorun-subject": "carol", "nylorun-scopes": "environments:write"}
    token = issuer.token(scope="environments:write", sub="dave")
    saves = [
        (api, api.bearer, {}, "application:the-application"),
        (api, api.bearer, person, "subject:carol"),
        (api, key_texts["studio"], {}, "application:the-studio"),
        (api, token, {}, "issuer:sso:dave"),
        (local, None, {}, "local:alice"),
    ]
    for number, (through, bearer, headers, saved_by) in enumerate(saves, start=1):
        body = {"resources": {"cpus": number, "memory": "1GiB"}}
        reply = through.send("PUT", f"{MANIFESTS}/one", body, headers, bearer=bearer)
        assert (reply.json["version"], reply.json["savedBy"]) == (number, saved_by)
        assert api.send("GET", f"{MANIFESTS}/one").json["savedBy"] == saved_by


def test_me_says_who_calls(build, key_texts, issuer):
    api = build(authenticator=ByCredential(issuer.trusted()))
    local = build(authenticator=Local("alice"))
    every = ["agents:read", "agents:write", "sessions:own", "environments:write"]
    assert api.send("GET", "/v1/me").json == {
        "scopes": every,
        "agents": "*",
        "via": "application:the-application",
    }
    assert api.send("GET", "/v1/me", bearer=key_texts["studio"]).json["via"] == (
        "application:the-studio"
    )
    assert api.send("GET", "/v1/me", bearer=key_texts["management"]).json == {
        "scopes": [],
        "agents": [],
        "via": "management:the-management",
    }
    assert local.send("GET", "/v1/me", bearer=None).json == {
        "scopes": every,
        "agents": "*",
        "via": "local:alice",
    }
    token = issuer.token(scope="environments:write studio sessions:own agents:write", team="red")
    assert api.send("GET", "/v1/me", bearer=token).json == {
        "subject": "carol",
        "scopes": ["sessions:own", "environments:write", "studio"],
        "agents": ["helper", "support"],
        "environments": ["users/carol/*", "teams/red"],
        "via": "issuer:sso",
    }


class TestTheContract:
    """The description of the API and the route table say the same of who may call."""

    DESCRIBED = yaml.safe_load(asset("schemas/openapi/runtime.yaml").read_text())

    def operations(self):
        for path, item in self.DESCRIBED["paths"].items():
            for method, operation in item.items():
                if method != "parameters" and path.startswith("/v1"):
                    yield (method.upper(), path), operation

    def test_every_route_is_described_and_the_reverse(self, api):
        described = {
            (method, "/".join("{}" if part.startswith("{") else part for part in path.split("/")))
            for (method, path), _ in self.operations()
        }
        assert described == {(route.method, route.path) for route in api.app.routes}

    def test_credentials_and_scopes(self, api):
        described = {
            (
                method,
                "/".join("{}" if part.startswith("{") else part for part in path.split("/")),
            ): (
                operation["x-nylorun-credentials"],
                operation["x-nylorun-scopes"],
            )
            for (method, path), operation in self.operations()
        }
        for route in api.app.routes:
            access = route.access
            credentials = ["application", "subject", "token"] if access.application else []
            credentials += ["management"] if access.management else []
            scopes = "any" if access.scopes is None else list(access.scopes) or "never"
            assert described[route.method, route.path] == (credentials, scopes)

    def test_the_matrix_covers_every_route(self, api):
        covered = {
            (method, path.partition("?")[0].replace("/one", "/{}").replace("/ci", "/{}"))
            for group in GROUPS.values()
            for method, path, _ in group
        }
        covered = {
            (method, path.replace("/versions/1", "/versions/{}")) for method, path in covered
        }
        assert covered == {(route.method, route.path) for route in api.app.routes}


def test_a_local_caller_is_limited_by_no_scope(api):
    for route in api.app.routes:
        require_scopes(Caller(CallerKind.LOCAL, "alice"), route.access)


def test_described_callers_are_json(issuer):
    for kind in CallerKind:
        json.dumps(Caller(kind, "x", subject="s").described())
