"""The API's description drives requests at a server, and holds its answers against itself."""

from __future__ import annotations

import json

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from jsonschema import Draft202012Validator
from schemathesis import checks

from envsync.server.routes.openapi import document

DESCRIBED = json.loads(document())
SCHEMA = schemathesis.openapi.from_dict(DESCRIBED)
MANAGEMENT = "/v1/tenant/"

CHECKED = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]


def test_no_reference_leaves_the_document():
    def references(value):
        if isinstance(value, dict):
            if isinstance(value.get("$ref"), str):
                yield value["$ref"]
            for each in value.values():
                yield from references(each)
        elif isinstance(value, list):
            for each in value:
                yield from references(each)

    for reference in references(DESCRIBED):
        assert reference.startswith("#/"), reference
        target = DESCRIBED
        for part in reference.removeprefix("#/").split("/"):
            target = target[part.replace("~1", "/").replace("~0", "~")]


def test_every_schema_is_one():
    for schema in DESCRIBED["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_the_management_document_is_a_part_of_it():
    part = json.loads(document(management=True))
    assert set(part["paths"]) == {
        path for path in DESCRIBED["paths"] if path.startswith(MANAGEMENT)
    }


def test_what_is_served_is_the_file(api):
    for path in ("/openapi.json", "/openapi/runtime.json"):
        reply = api.send("GET", path, bearer=None, protocol=None)
        assert (reply.json, reply.header("cache-control")) == (DESCRIBED, "no-cache")
    reply = api.send("GET", "/openapi/management.json", bearer=None, protocol=None)
    assert reply.body == document(management=True)


@pytest.fixture(params=["key", "person", "nobody"])
def credentials(request, key_texts):
    """What is sent with a request to a path."""

    def of(path: str) -> dict[str, str]:
        if request.param == "nobody":
            return {}
        role = "management" if path.startswith(MANAGEMENT) else "application"
        sent = {"Authorization": f"Bearer {key_texts[role]}", "Nylorun-Protocol": "14"}
        if request.param == "person" and role == "application":
            sent |= {"Nylorun-Subject": "carol", "Nylorun-Scopes": "environments:write"}
        return sent

    return of


@SCHEMA.parametrize()
@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_answers_are_as_described(case, server, credentials):
    case.headers = {
        name: value
        for name, value in (case.headers or {}).items()
        if not name.lower().startswith("nylorun-")
    }
    response = case.call(base_url=server.address, headers=credentials(case.path), timeout=20)
    case.validate_response(response, checks=CHECKED)


@pytest.mark.parametrize(
    ("method", "path", "more"),
    [
        ("GET", "/v1/me", {}),
        ("GET", "/v1/tenant/keys", {}),
        (
            "PUT",
            "/v1/environment-manifests/{name}",
            {"path_parameters": {"name": "one"}, "body": {}, "media_type": "application/json"},
        ),
    ],
)
def test_requests_are_not_all_refused_early(server, key_texts, method, path, more):
    """Without this the requests above could pass the checks without reaching any route."""
    role = "management" if path.startswith(MANAGEMENT) else "application"
    headers = {"Authorization": f"Bearer {key_texts[role]}", "Nylorun-Protocol": "14"}
    case = SCHEMA[path][method].Case(**more)
    response = case.call(base_url=server.address, headers=headers, timeout=20)
    assert response.status_code == 200
    case.validate_response(response, checks=CHECKED)


class TestAnswersByHand:
    """Answers that random requests seldom reach, held against the same schemas."""

    def holds(self, reply, name):
        schema = {"$ref": f"#/components/schemas/{name}", "components": DESCRIBED["components"]}
        errors = [error.message for error in Draft202012Validator(schema).iter_errors(reply.json)]
        assert errors == [], reply.body

    def test_manifests(self, api):
        base = "/v1/environment-manifests"
        pod = {"kind": "pod", "image": "registry.example/box:1", "storage": "6GiB"}
        self.holds(api.send("PUT", f"{base}/one?dryRun=true", pod), "ManifestPlan")
        self.holds(api.send("PUT", f"{base}/one", pod), "SavedManifest")
        self.holds(api.send("PUT", f"{base}/one", pod), "SavedManifest")
        self.holds(api.send("PUT", f"{base}/one", {}, {"if-match": "9"}), "ManifestChanged")
        self.holds(api.send("GET", f"{base}/one"), "ManifestView")
        self.holds(api.send("GET", f"{base}/one/versions"), "ManifestVersions")
        self.holds(api.send("GET", f"{base}/one/versions/1"), "ManifestView")
        self.holds(api.send("GET", base), "ManifestList")
        self.holds(api.send("GET", f"{base}?view=summary"), "ManifestSummaryList")
        items = [
            {"name": "one", "manifest": {"kind": "none"}, "ifMatch": 4},
            {"name": "-", "manifest": {}},
        ]
        self.holds(api.send("POST", f"{base}:plan", {"manifests": items}), "PlanBatch")
        self.holds(api.send("DELETE", f"{base}/one"), "DeletedManifest")
        self.holds(api.send("DELETE", f"{base}/one"), "DeletedManifest")

    def test_the_rest(self, api, key_texts):
        management = key_texts["management"]
        keys = "/v1/tenant/keys"
        self.holds(api.send("PUT", f"{keys}/ci", bearer=management), "NewKey")
        self.holds(api.send("GET", keys, bearer=management), "KeyList")
        self.holds(api.send("DELETE", f"{keys}/ci", bearer=management), "DeletedKey")
        self.holds(api.send("GET", "/v1/me"), "Caller")
        self.holds(api.send("GET", "/health"), "Health")
        self.holds(api.send("GET", "/ready"), "Ready")
        self.holds(api.send("GET", "/v1/me", bearer=None), "Rejected")
        self.holds(api.send("GET", "/v1/me", protocol="1"), "ProtocolRejected")


def test_health_says_that_it_is_ours(api):
    body = api.send("GET", "/health", bearer=None, protocol=None).json
    assert body["protocol"] == {
        "min": 14,
        "max": 14,
        "features": ["envsync-batch-plan", "envsync-list-summary"],
    }
    assert body["service"] == "nylorun-runtime"
    assert body["hostId"] == api.send("GET", "/health").json["hostId"]
