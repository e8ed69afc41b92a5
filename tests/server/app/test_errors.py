"""Every refusal with its exact status, headers and body, in the order of the checks."""

from __future__ import annotations

import logging

import pytest

from envsync.contract.features import FEATURES
from envsync.errors import StoreError
from envsync.server.app import ALLOWED_METHODS, App
from envsync.server.auth.authenticator import ByCredential
from envsync.server.settings import AppSettings

MANIFESTS = "/v1/environment-manifests"
ONE = f"{MANIFESTS}/one"
VIRTUAL = {"kind": "virtual"}


def refused(reply, status, code, message, details=None):
    """Holds ``reply`` against a whole refusal: status, type, length and every byte of meaning."""
    body = {"status": "rejected", "code": code, "message": message}
    if details is not None:
        body["details"] = details
    assert (reply.status, reply.json) == (status, body)
    assert reply.header("content-type") == "application/json"
    assert reply.header("content-length") == str(len(reply.body))
    return reply


def test_a_body_is_compact_json(api):
    assert b": " not in api.send("GET", "/v1/me").body


class TestBeforeTheCredential:
    def test_host_that_is_not_ours(self, build):
        api = build(AppSettings(allowed_hosts=frozenset({"runtime.example", "::1"})))
        assert api.send("GET", "/v1/me", host_name="RUNTIME.example:8787").status == 200
        assert api.send("GET", "/v1/me", host_name="[::1]:8787").status == 200
        for name in ("other.example", "runtime.example.evil.example", "", None):
            refused(
                api.send("GET", "/health", host_name=name),
                421,
                "host_rejected",
                "The Host header names none of this server's hosts",
            )

    @pytest.mark.parametrize("path", ["/health", "/ready", "/openapi.json", "/elsewhere"])
    def test_browsers_outside_the_api(self, api, path):
        refused(
            api.send("GET", path, headers={"origin": "https://page.example"}),
            403,
            "origin_rejected",
            "Requests from browsers are not accepted here",
        )

    @pytest.mark.parametrize("path", ["/health", "/v1/me", "/v1/nowhere", "/"])
    def test_options_says_which_methods_there_are(self, api, path):
        reply = api.send("OPTIONS", path, bearer=None, protocol=None)
        assert (reply.status, reply.body) == (204, b"")
        assert reply.headers == [("allow", ALLOWED_METHODS)]

    @pytest.mark.parametrize(
        "content_type", ["text/plain", "", "application/jsonx", "application/merge-patch+json"]
    )
    @pytest.mark.parametrize("path", [ONE, "/health", "/v1/nowhere"])
    def test_a_body_of_another_type(self, api, path, content_type):
        refused(
            api.send("PUT", path, b"{}", {"content-type": content_type}, bearer=None),
            415,
            "unsupported_media_type",
            "Request bodies must be application/json",
        )

    @pytest.mark.parametrize(
        "content_type", ["application/json", "Application/JSON; charset=utf-8", "application/json;"]
    )
    def test_json_may_have_parameters(self, api, content_type):
        assert api.send("PUT", ONE, b"{}", {"content-type": content_type}).status == 200

    @pytest.mark.parametrize("spoken", [None, "", "13", "15", "x", "14.0", "-14", "1" * 40, "１４"])
    def test_another_protocol(self, api, spoken):
        spoken = spoken and spoken.encode().decode("latin-1")
        reply = api.send("GET", "/v1/me", protocol=spoken)
        assert reply.status == 426
        assert reply.json == {
            "status": "rejected",
            "code": "protocol_unsupported",
            "protocol": {"min": 14, "max": 14, "features": list(FEATURES)},
        }

    def test_a_protocol_sent_twice_is_none(self, api):
        reply = api.send("GET", "/v1/me", headers=[("nylorun-protocol", "14")])
        assert reply.status == 426

    @pytest.mark.parametrize("spoken", [" 14 ", "014"])
    def test_a_protocol_is_a_number(self, api, spoken):
        assert api.send("GET", "/v1/me", protocol=spoken).status == 200

    def test_neither_protocol_nor_credential_on_a_known_route(self, api):
        reply = refused(
            api.send("GET", "/v1/me", protocol=None, bearer=None),
            401,
            "credential_required",
            "A bearer credential is required",
        )
        assert reply.header("www-authenticate") == "Bearer"

    def test_neither_protocol_nor_credential_on_an_unknown_route(self, api):
        assert api.send("GET", "/v1/nowhere", protocol=None, bearer=None).status == 426

    def test_another_tenant_is_named(self, api):
        assert api.send("GET", "/v1/me", headers={"nylorun-tenant": api.tenant}).status == 200
        assert api.send("GET", "/v1/me", headers={"nylorun-tenant": " "}).status == 200
        reply = api.send("GET", "/v1/me", headers={"nylorun-tenant": "tn_other"}, bearer=None)
        assert reply.status == 404
        assert reply.body == b'{"status":"rejected","code":"not_found","message":"Not found"}'


class TestCredential:
    @pytest.mark.parametrize(
        "authorization", ["", "Basic YTpi", "Bearer", "Bearer ", "Bearer a b", "bearer\ta"]
    )
    def test_none_or_another_scheme(self, api, authorization):
        reply = refused(
            api.send("GET", "/v1/me", headers={"authorization": authorization}, bearer=None),
            401,
            "credential_required",
            "A bearer credential is required",
        )
        assert reply.header("www-authenticate") == "Bearer"

    def test_the_scheme_has_no_case(self, api):
        for scheme in ("bearer", "BEARER", "Bearer  "):
            headers = {"authorization": f"{scheme} {api.bearer} "}
            assert api.send("GET", "/v1/me", headers=headers, bearer=None).status == 200

    @pytest.mark.parametrize("bearer", ["0" * 64, "f" * 63, "F" * 64, "x", "a.b.c", "é" * 32])
    def test_an_unknown_one(self, api, bearer):
        reply = refused(
            api.send("GET", "/v1/me", bearer=bearer.encode().decode("latin-1")),
            401,
            "credential_invalid",
            "The credential is not valid here",
        )
        assert reply.header("www-authenticate") == 'Bearer error="invalid_token"'

    def test_a_key_from_a_browser_is_not_even_looked_up(self, api):
        for bearer in (api.bearer, "0" * 64):
            refused(
                api.send("GET", "/v1/me", headers={"origin": "https://p.example"}, bearer=bearer),
                403,
                "origin_rejected",
                "Keys are not accepted from browsers",
            )

    def test_a_deleted_key_stops_at_its_next_request(self, api, key_texts):
        management = key_texts["management"]
        made = api.send("PUT", "/v1/tenant/keys/ci", bearer=management).json["key"]
        assert api.send("GET", "/v1/me", bearer=made).json["via"] == "application:ci"
        rotated = api.send("PUT", "/v1/tenant/keys/ci", bearer=management).json
        assert rotated["rotated"] is True
        assert api.send("GET", "/v1/me", bearer=made).status == 401
        assert api.send("GET", "/v1/me", bearer=rotated["key"]).status == 200
        assert api.send("DELETE", "/v1/tenant/keys/ci", bearer=management).json == {
            "id": "ci",
            "deleted": True,
        }
        assert api.send("GET", "/v1/me", bearer=rotated["key"]).status == 401


class TestSubject:
    def test_acting_for_a_person(self, api):
        headers = {"nylorun-subject": "carol", "nylorun-scopes": "environments:write  sessions:own"}
        assert api.send("GET", "/v1/me", headers=headers).json == {
            "subject": "carol",
            "scopes": ["sessions:own", "environments:write"],
            "agents": "*",
            "via": "subject",
        }

    def test_retired_scopes_are_ignored(self, api):
        headers = {
            "nylorun-subject": "carol",
            "nylorun-scopes": "vaults:own tenant:settings agents:read",
        }
        assert api.send("GET", "/v1/me", headers=headers).json["scopes"] == ["agents:read"]

    @pytest.mark.parametrize(
        ("headers", "message"),
        [
            (
                [("nylorun-scopes", "agents:read")],
                "Nylorun-Scopes requires Nylorun-Subject",
            ),
            (
                [("nylorun-subject", "carol")],
                "Nylorun-Subject requires Nylorun-Scopes",
            ),
            (
                [("nylorun-subject", "carol"), ("nylorun-scopes", "  ")],
                "Nylorun-Subject requires Nylorun-Scopes",
            ),
            (
                [("nylorun-subject", "carol"), ("nylorun-subject", "carol")],
                "Nylorun-Subject must be sent once",
            ),
            (
                [
                    ("nylorun-subject", "carol"),
                    ("nylorun-scopes", "agents:read"),
                    ("nylorun-scopes", "agents:read"),
                ],
                "Nylorun-Scopes must be sent once",
            ),
            (
                [("nylorun-subject", "carol"), ("nylorun-scopes", "agents:read admin")],
                (
                    "Nylorun-Scopes names scopes that do not exist; there are agents:read, "
                    "agents:write, sessions:own, environments:write"
                ),
            ),
            *[
                (
                    [("nylorun-subject", name), ("nylorun-scopes", "agents:read")],
                    (
                        "Nylorun-Subject is 1-200 visible ASCII characters, and neither host nor "
                        "installation"
                    ),
                )
                for name in ("", "host", "installation", " x", "x" * 201, "a\x01b", "caf\xe9")
            ],
        ],
    )
    def test_malformed(self, api, headers, message):
        refused(api.send("GET", "/v1/me", headers=headers), 400, "subject_invalid", message)

    def test_an_unknown_caller_learns_nothing_of_them(self, api):
        reply = api.send("GET", "/v1/me", headers={"nylorun-subject": ""}, bearer="0" * 64)
        assert reply.json["code"] == "credential_invalid"

    def test_a_management_key_acts_as_itself(self, api, key_texts):
        for headers in ({"nylorun-subject": "carol"}, {"nylorun-scopes": "agents:read"}):
            refused(
                api.send("GET", "/v1/me", headers=headers, bearer=key_texts["management"]),
                403,
                "subject_invalid",
                "A management key acts as itself, never for a person",
            )


class TestRoutes:
    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("GET", "/v1/nowhere"),
            ("GET", "/v1"),
            ("GET", "/v1/"),
            ("GET", "/v1/me/"),
            ("GET", "//v1/me"),
            ("HEAD", "/v1/me"),
            ("POST", "/v1/me"),
            ("PATCH", ONE),
            ("POST", "/health"),
            ("GET", "/nowhere"),
            ("GET", f"{MANIFESTS}/"),
            ("GET", f"{MANIFESTS}//versions"),
        ],
    )
    def test_unknown(self, api, method, path):
        reply = api.send(method, path)
        assert reply.status == 404
        if method != "HEAD":
            refused(reply, 404, "request_rejected", "Route not found")
        assert api.send(method, path, bearer="0" * 64).status == 401

    @pytest.mark.parametrize("path", [f"{MANIFESTS}/%zz", f"{MANIFESTS}/a%2", f"{MANIFESTS}/%ff"])
    def test_broken_escapes(self, api, path):
        refused(
            api.send("GET", path),
            400,
            "request_rejected",
            "The path's percent-encoding is broken",
        )

    def test_an_escaped_path_is_the_same_path(self, api):
        api.send("PUT", ONE, VIRTUAL)
        assert api.send("GET", "/v1/environment%2Dmanifests/%6fne").json["name"] == "one"
        assert api.send("POST", "/v1/environment-manifests%3Aplan", {"manifests": []}).status == 200

    def test_head_is_answered_only_where_it_is_declared(self, api):
        for path in ("/health", "/ready"):
            reply = api.send("HEAD", path, bearer=None, protocol=None)
            assert (reply.status, reply.body) == (200, b"")
            assert int(reply.header("content-length")) > 0


class TestManifestRequests:
    @pytest.mark.parametrize("name", ["-a", ".a", "a" * 65, "a b", "a%2Fb", "caf%C3%A9", "a:b"])
    @pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
    def test_names(self, api, method, name):
        body = b"not even json" if method == "PUT" else None
        refused(
            api.send(method, f"{MANIFESTS}/{name.replace(' ', '%20')}", body),
            400,
            "request_rejected",
            "An environment manifest's name is 1-64 letters, digits, '.', '_' and '-', starting "
            "with a letter or digit",
        )

    @pytest.mark.parametrize("version", ["0", "-1", "x", "1.5", "9" * 17, "%D9%A1", "1e2", "+1"])
    def test_versions(self, api, version):
        refused(
            api.send("GET", f"{ONE}/versions/{version}"),
            400,
            "request_rejected",
            "version is a positive integer",
        )

    @pytest.mark.parametrize("path", [ONE, f"{ONE}/versions", f"{ONE}/versions/1"])
    def test_what_is_not_there(self, api, path):
        reply = api.send("GET", path)
        assert (reply.status, reply.json["code"]) == (404, "request_rejected")

    @pytest.mark.parametrize("body", [b"", b"{", b"{}x", b"NaN", b'"\xff"', b'"\\ud800"'])
    @pytest.mark.parametrize("query", ["", "?dryRun=true"])
    def test_json_that_is_none(self, api, body, query):
        refused(api.send("PUT", ONE + query, body), 400, "request_rejected", "Invalid JSON")

    @pytest.mark.parametrize("body", [b"null", b"[]", b"3", b'"x"'])
    def test_json_that_is_no_object(self, api, body):
        refused(api.send("PUT", ONE, body), 400, "request_rejected", "The body is a JSON object")

    @pytest.mark.parametrize("query", ["", "?dryRun=true"])
    @pytest.mark.parametrize("key", ["$schema", "name", "kin", "allowedHosts"])
    def test_unknown_keys(self, api, key, query):
        reply = api.send("PUT", ONE + query, {key: "x"})
        assert (reply.status, reply.json["code"]) == (400, "request_rejected")
        assert reply.json["details"]["errors"][0]["path"] == f"/{key}"
        assert key in reply.json["message"]

    def test_every_fault_is_told_at_once(self, api):
        reply = api.send("PUT", ONE, {"kin": "x", "harness": 3, "lifecycle": {"idle": "soon"}})
        paths = [error["path"] for error in reply.json["details"]["errors"]]
        assert sorted(paths) == ["/harness", "/kin", "/lifecycle/idle"]

    @pytest.mark.parametrize(
        "body",
        [
            {f"k{number}": 1 for number in range(70_000)},
            {"secrets": {f"K{number}": {"type": "x"} for number in range(20_000)}},
        ],
        ids=["keys", "slots"],
    )
    def test_a_body_that_would_take_minutes_to_explain_is_refused_in_few_words(self, api, body):
        for method, path, sent in (
            ("PUT", ONE, body),
            ("POST", f"{MANIFESTS}:plan", {"manifests": [{"name": "one", "manifest": body}]}),
        ):
            reply = api.send(method, path, sent)
            assert reply.status == (400 if method == "PUT" else 200)
            assert len(reply.body) < 20_000

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            (
                b'{"resources": {"cpus": 1e308}}',
                "A number is larger than JSON can carry exactly",
            ),
            (
                b'{"resources": {"cpus": ' + b"9" * 40 + b"}}",
                "A number is larger than JSON can carry exactly",
            ),
            (
                b'{"setup": ' + b"[" * 900 + b"]" * 900 + b"}",
                "The manifest is nested too deeply",
            ),
        ],
        ids=["float", "integer", "depth"],
    )
    def test_values_that_cannot_be_kept(self, api, body, message):
        reply = api.send("PUT", ONE, body)
        assert (reply.status, reply.json["message"]) == (400, message)
        batch = b'{"manifests": [{"name": "one", "manifest": ' + body + b"}]}"
        (plan,) = api.send("POST", f"{MANIFESTS}:plan", batch).json["plans"]
        assert [error["message"] for error in plan["errors"]] == [message]

    def test_a_nested_bomb_is_refused(self, api):
        deep = b"[" * 100_000 + b"]" * 100_000
        refused(api.send("PUT", ONE, deep), 400, "request_rejected", "Invalid JSON")

    @pytest.mark.parametrize("value", ["x", "-1", "1.5", '"', "*", "W/", '"1', "1, 2"])
    @pytest.mark.parametrize("method", ["PUT", "DELETE"])
    def test_if_match(self, api, method, value):
        body = VIRTUAL if method == "PUT" else None
        reply = api.send(method, f"{ONE}?dryRun=true", body, {"if-match": value})
        assert (reply.status, reply.json["code"]) == (400, "request_rejected")
        assert "If-Match" in reply.json["message"]

    @pytest.mark.parametrize("value", ["1", '"1"', 'W/"1"', " 1 ", "", "  "])
    def test_if_match_in_each_spelling(self, api, value):
        api.send("PUT", ONE, VIRTUAL)
        for query in ("?dryRun=true", "?dryRun=false", ""):
            assert api.send("PUT", ONE + query, VIRTUAL, {"if-match": value}).status == 200

    @pytest.mark.parametrize("query", ["", "?dryRun=true"])
    def test_a_stale_if_match(self, api, query):
        saved = api.send("PUT", ONE, VIRTUAL).json
        refused(
            api.send("PUT", ONE + query, {"kind": "none"}, {"if-match": "0"}),
            412,
            "manifest_changed",
            api.seen[-1].json["message"],
            {
                "currentVersion": 1,
                "currentHash": saved["hash"],
                "savedBy": "application:the-application",
                "savedAt": saved["savedAt"],
            },
        )
        assert api.send("GET", ONE).json["version"] == 1

    def test_a_stale_if_match_where_nothing_is(self, api):
        reply = api.send("PUT", ONE, VIRTUAL, {"if-match": "3"})
        assert (reply.status, reply.json["code"]) == (412, "manifest_changed")
        assert reply.json["details"] == {
            "currentVersion": None,
            "currentHash": None,
            "savedBy": None,
            "savedAt": None,
        }

    @pytest.mark.parametrize("value", ["yes", "", "TRUE", "1"])
    def test_dry_run(self, api, value):
        refused(
            api.send("PUT", f"{ONE}?dryRun={value}", VIRTUAL),
            400,
            "request_rejected",
            "dryRun is true or false",
        )

    def test_view(self, api):
        refused(
            api.send("GET", f"{MANIFESTS}?view=names"),
            400,
            "request_rejected",
            "view is full or summary",
        )

    def test_a_query_that_cannot_be_decoded(self, api):
        refused(
            api.send("GET", f"{MANIFESTS}?view=%ff"),
            400,
            "request_rejected",
            "The query cannot be decoded",
        )

    def test_unknown_parameters_are_ignored(self, api):
        assert api.send("GET", f"{MANIFESTS}?page=3").status == 200

    @pytest.mark.parametrize("chunked", [False, True])
    def test_a_body_over_the_cap(self, api, chunked):
        body = b'{"kind": "virtual"' + b" " * (1 << 20) + b"}"
        reply = api.send(
            "PUT", ONE, body, chunks=[body[:70_000], body[70_000:]] if chunked else None
        )
        refused(reply, 413, "request_rejected", "The body is larger than 1048576 bytes")
        assert reply.header("connection") == "close"

    @pytest.mark.parametrize("chunked", [False, True])
    def test_a_body_at_the_cap(self, api, chunked):
        body = b'{"kind": "virtual"}'.ljust(1 << 20)
        parts = [body[:70_000], body[70_000:]] if chunked else None
        assert api.send("PUT", ONE, body, chunks=parts).status == 200

    def test_limits_are_errors_of_a_dry_run_and_refuse_a_save(self, api):
        body = {"kind": "virtual", "resources": {"cpus": 65, "memory": "1GiB"}}
        plan = api.send("PUT", f"{ONE}?dryRun=true", body).json
        assert plan["nextVersion"] is None
        assert [error["path"] for error in plan["errors"]] == ["/resources/cpus"]
        reply = api.send("PUT", ONE, body)
        assert (reply.status, reply.json["code"]) == (400, "request_rejected")
        assert api.send("GET", ONE).status == 404


class TestBatch:
    PLAN = f"{MANIFESTS}:plan"

    def test_each_item_gets_the_plan_of_its_own_dry_run(self, api):
        api.send("PUT", ONE, VIRTUAL)
        items = [
            {"name": "two", "manifest": {"kind": "none"}, "ifMatch": 0},
            {"name": "one", "manifest": {"kind": "none"}, "ifMatch": 1},
            {"name": "one", "manifest": VIRTUAL},
        ]
        answer = api.send("POST", self.PLAN, {"manifests": items}).json
        assert answer["dryRun"] is True
        for item, plan in zip(items, answer["plans"], strict=True):
            alone = f"{MANIFESTS}/{item['name']}?dryRun=true"
            assert api.send("PUT", alone, item["manifest"]).json == plan
        assert api.send("GET", f"{MANIFESTS}/two").status == 404

    def test_a_stale_item_is_a_conflict_of_its_own(self, api):
        saved = api.send("PUT", ONE, VIRTUAL).json
        items = [{"name": "one", "manifest": {"kind": "none"}, "ifMatch": 7}]
        (plan,) = api.send("POST", self.PLAN, {"manifests": items}).json["plans"]
        assert [error["code"] for error in plan["errors"]] == ["manifest_changed"]
        assert plan["nextVersion"] is None
        assert plan["conflict"]["currentVersion"] == 1
        assert plan["conflict"]["currentHash"] == saved["hash"]

    def test_a_malformed_item_does_not_hurt_the_others(self, api):
        items = [
            {"name": "one", "manifest": {"kin": 1}},
            {"name": "-", "manifest": {}},
            {"name": "two", "manifest": {}},
        ]
        first, second, third = api.send("POST", self.PLAN, {"manifests": items}).json["plans"]
        assert [error["path"] for error in first["errors"]] == ["/kin"]
        assert [error["code"] for error in second["errors"]] == ["request_rejected"]
        assert (first["nextVersion"], second["nextVersion"], third["nextVersion"]) == (
            None,
            None,
            1,
        )

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            ({}, "The body is an object with the one member manifests, a list"),
            ({"manifests": {}}, "The body is an object with the one member manifests, a list"),
            (
                {"manifests": [], "dryRun": True},
                "The body is an object with the one member manifests, a list",
            ),
            (
                {"manifests": [{"name": "a"}]},
                "manifests[0] is an object with name, manifest and, if wanted, ifMatch",
            ),
            (
                {"manifests": [{"name": "a", "manifest": {}, "x": 1}]},
                "manifests[0] is an object with name, manifest and, if wanted, ifMatch",
            ),
            (
                {"manifests": [{"name": 1, "manifest": {}}]},
                "manifests[0]: name is a string, and manifest an object",
            ),
            *[
                (
                    {"manifests": [{"name": "a", "manifest": {}, "ifMatch": base}]},
                    "manifests[0]: ifMatch is a whole number, 0 for none yet",
                )
                for base in (-1, 1.5, True, "1", None)
            ],
            (
                {"manifests": [{"name": "a", "manifest": {}}] * 1001},
                "At most 1000 manifests fit into one batch, not 1001",
            ),
        ],
    )
    def test_a_body_that_is_no_batch(self, api, body, message):
        refused(api.send("POST", self.PLAN, body), 400, "request_rejected", message)


class TestLists:
    def test_an_unchanged_list_is_not_sent_again(self, api):
        api.send("PUT", ONE, VIRTUAL)
        for query in ("", "?view=summary"):
            etag = api.send("GET", MANIFESTS + query).header("etag")
            assert etag.startswith('W/"')
            for known in (etag, etag.removeprefix("W/"), f'"x", {etag}', "*"):
                reply = api.send("GET", MANIFESTS + query, headers={"if-none-match": known})
                assert (reply.status, reply.body) == (304, b"")
                assert reply.headers == [("etag", etag)]
        api.send("PUT", ONE, {"kind": "none"})
        assert api.send("GET", MANIFESTS, headers={"if-none-match": etag}).status == 200

    def test_a_summary_leaves_the_manifests_out(self, api):
        api.send("PUT", ONE, VIRTUAL)
        (whole,) = api.send("GET", MANIFESTS).json["manifests"]
        (short,) = api.send("GET", f"{MANIFESTS}?view=summary").json["manifests"]
        assert whole.pop("manifest")["kind"] == "virtual"
        assert short == whole


class TestKeys:
    KEYS = "/v1/tenant/keys"

    def test_a_key_is_shown_once(self, api, key_texts):
        api.bearer = key_texts["management"]
        made = api.send("PUT", f"{self.KEYS}/ci")
        assert made.header("cache-control") == "no-store"
        assert {**made.json, "key": "", "createdAt": ""} == {
            "id": "ci",
            "role": "application",
            "createdAt": "",
            "key": "",
            "rotated": False,
        }
        listed = api.send("GET", self.KEYS)
        assert made.json["key"].encode() not in listed.body
        assert [key["id"] for key in listed.json["keys"]] == [
            "ci",
            "the-application",
            "the-management",
            "the-studio",
        ]
        assert api.send("GET", f"{self.KEYS}/ci").json["keys"] == listed.json["keys"][:1]

    @pytest.mark.parametrize("key_id", ["studio", "bootstrap", "Ci", "1a", "a" * 33, "a_b"])
    @pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
    def test_ids(self, api, key_texts, method, key_id):
        refused(
            api.send(method, f"{self.KEYS}/{key_id}", bearer=key_texts["management"]),
            400,
            "invalid_request",
            "A key's id is a lower-case letter, then up to 31 lower-case letters, digits and "
            "'-'; studio and bootstrap are reserved",
        )

    @pytest.mark.parametrize("method", ["GET", "DELETE"])
    def test_a_key_that_is_not_there(self, api, key_texts, method):
        reply = api.send(method, f"{self.KEYS}/ci", bearer=key_texts["management"])
        assert (reply.status, reply.json["code"]) == (404, "request_rejected")

    def test_a_management_key_is_out_of_reach(self, api, key_texts):
        api.bearer = key_texts["management"]
        assert api.send("DELETE", f"{self.KEYS}/the-management").status == 404
        assert api.send("PUT", f"{self.KEYS}/the-management").json["role"] == "application"
        assert api.send("GET", self.KEYS).status == 200


class BrokenStore:
    """A store that fails as databases fail."""

    address = "nowhere"

    def __init__(self, error):
        self.error = error

    async def read(self, work, *, heavy=False):
        raise self.error

    async def write(self, work):
        raise self.error

    async def aclose(self):
        pass


class TestFailures:
    def broken(self, api, error):
        store = BrokenStore(error)
        healthy = api.app
        api.app = App(store, AppSettings(), ByCredential(), None)
        # Who the server is was read while the database was well.
        api.app._discovery._host = healthy._discovery._host
        return api

    def test_a_database_that_is_away(self, api, caplog):
        api.send("GET", "/v1/me")
        broken = self.broken(api, StoreError("E702", "locked by /var/lib/secret-place"))
        for method, path, body in (("GET", "/v1/me", None), ("PUT", ONE, VIRTUAL)):
            reply = refused(
                broken.send(method, path, body),
                503,
                "request_rejected",
                "The database cannot be used now",
            )
            assert reply.header("retry-after") == "1"
        ready = broken.send("GET", "/ready")
        assert ready.status == 503
        assert ready.json == {
            "status": "not_ready",
            "service": "nylorun-runtime",
            "checks": {"listener": True, "tenant": False},
        }
        assert "secret-place" in caplog.text

    def test_a_fault_of_the_program_says_nothing_and_logs_all(self, api, caplog):
        api.send("GET", "/v1/me")
        broken = self.broken(api, RuntimeError("the inside"))
        with caplog.at_level(logging.ERROR, "envsync.server"):
            reply = broken.send("GET", "/v1/me")
        body = reply.json
        request_id = body.pop("requestId")
        assert (reply.status, body) == (
            500,
            {"status": "rejected", "code": "internal_error", "message": "Runtime request failed"},
        )
        assert request_id in caplog.text
        assert "the inside" in caplog.text
        assert "Traceback" in caplog.text

    def test_before_a_route_is_known_it_is_an_internal_error(self, api):
        broken = self.broken(api, RuntimeError())
        broken.app._discovery._host = None
        assert broken.send("GET", "/health").json["message"] == "Internal error"

    def test_a_server_that_stops_is_not_ready(self, api):
        api.app.close_soon()
        assert api.send("GET", "/ready").json["checks"] == {"listener": False, "tenant": True}
