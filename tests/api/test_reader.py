"""What RuntimeReader asks, and what it makes of the answers."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Coroutine
from typing import TypeVar

import pytest

from envsync.api.credential import Credential
from envsync.api.messages import Request, Response
from envsync.api.runtime import RuntimeReader, RuntimeWriter
from envsync.api.views import PlanItem
from envsync.contract.json_types import Json
from envsync.contract.secret_text import SecretText
from envsync.errors import ApiError, EnvsyncError
from tests.api.scripted import OURS, Scripted, answered, health, lost

T = TypeVar("T")
LIST = "/v1/environment-manifests"
BODY = {"kind": "pod", "image": "a"}


def run(call: Coroutine[object, object, T]) -> T:
    return asyncio.run(call)


def view(version: int, name: str = "box", **more: Json) -> dict[str, Json]:
    return {"name": name, "version": version, "hash": f"h{version}", **more}


def plan(name: str = "box", **more: Json) -> dict[str, Json]:
    return {"dryRun": True, "name": name, "changes": [], "errors": [], "warnings": [], **more}


def reader_of(transport: Scripted, credential: Credential | None = None) -> RuntimeReader:
    return RuntimeReader(transport, credential)


def test_a_reader_has_no_way_to_write() -> None:
    names = {name for name in dir(RuntimeReader) if not name.startswith("_")}
    assert not {name for name in names if "save" in name or "delete" in name or "put" in name}
    assert {name for name in vars(RuntimeWriter) if not name.startswith("_")} == {
        "save_manifest",
        "delete_manifest",
    }


def test_the_client_needs_no_network_library() -> None:
    code = (
        "import sys, envsync.api.runtime, envsync.api.credential, envsync.api.views\n"
        "print([name for name in ('httpx', 'truststore', 'asyncio') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- headers and the protocol


def test_every_request_carries_the_protocol_and_the_key() -> None:
    transport = Scripted({"GET /v1/me": answered(200, {"via": "application:ci"})})
    credential = Credential(SecretText("k" * 64))
    assert run(reader_of(transport, credential).me()).via == "application:ci"
    headers = transport.requests[-1].headers
    assert headers["nylorun-protocol"] == "14"
    assert headers["authorization"] == "Bearer " + "k" * 64
    assert "nylorun-subject" not in headers


def test_health_is_asked_without_a_key() -> None:
    transport = Scripted({})
    run(reader_of(transport, Credential(SecretText("k"))).health())
    assert "authorization" not in transport.requests[0].headers


def test_a_subject_goes_with_its_scopes() -> None:
    transport = Scripted({"GET /v1/me": answered(200, {})})
    credential = Credential(SecretText("k"), "users/alice", ("sessions:own", "environments:write"))
    run(reader_of(transport, credential).me())
    headers = transport.requests[-1].headers
    assert headers["nylorun-subject"] == "users/alice"
    assert headers["nylorun-scopes"] == "sessions:own environments:write"


@pytest.mark.parametrize("key", ["", " ", "a b", "a\n", "caf\u00e9", "a\tb"])
def test_a_key_that_cannot_be_one_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(EnvsyncError) as caught:
        reader_of(Scripted({}), Credential(SecretText(key), source="env:NYLORUN_SERVER_KEY"))
    assert caught.value.code == "E630"
    assert "env:NYLORUN_SERVER_KEY" in caught.value.message
    assert "caf" not in str(caught.value.problems)


@pytest.mark.parametrize(
    "credential",
    [
        Credential(SecretText("k"), "alice"),
        Credential(SecretText("k"), " alice", ("sessions:own",)),
        Credential(SecretText("k"), "a" * 201, ("sessions:own",)),
    ],
)
def test_half_a_subject_is_refused(credential: Credential) -> None:
    with pytest.raises(EnvsyncError) as caught:
        reader_of(Scripted({}), credential)
    assert caught.value.code == "E631"


def test_a_credential_does_not_show_its_key() -> None:
    assert "canary" not in repr(Credential(SecretText("canary")))


# --- health


def test_our_server_is_known_by_its_extensions() -> None:
    ours = run(reader_of(Scripted({"GET /health": health(OURS)})).health())
    foreign = run(reader_of(Scripted({"GET /health": health(["manifests"])})).health())
    assert (ours.ours, foreign.ours) == (True, False)


def test_health_is_asked_once() -> None:
    transport = Scripted({})
    reader = reader_of(transport)

    async def twice() -> None:
        await reader.health()
        await reader.health()

    run(twice())
    assert len(transport.requests) == 1


@pytest.mark.parametrize(
    "response",
    [
        answered(404, b"<html>not here</html>"),
        answered(200, b"<html>hello</html>"),
        answered(200, b"OK"),
        answered(200, ["ok"]),
        answered(403, {"message": "no"}),
    ],
)
def test_a_server_that_is_not_a_runtime(response: Response) -> None:
    with pytest.raises(ApiError) as caught:
        run(reader_of(Scripted({"GET /health": response})).health())
    assert caught.value.code == "E633"
    assert caught.value.message.startswith("this is not a Runtime")
    assert "server:" in caught.value.remedy


def test_a_server_that_is_down_is_not_taken_for_another_kind_of_server() -> None:
    down = answered(503, {"message": "the database is locked"})
    with pytest.raises(ApiError) as caught:
        run(reader_of(Scripted({"GET /health": down})).health())
    assert caught.value.code == "E645"
    assert "the database is locked" in caught.value.message


def test_a_health_of_another_kind_means_no_extensions() -> None:
    got = run(reader_of(Scripted({"GET /health": answered(200, {"status": "ok"})})).health())
    assert (got.ours, got.features, got.protocol_max) == (False, frozenset(), 0)


@pytest.mark.parametrize(
    ("low", "high", "told", "way_out"),
    [
        (4, 10, "protocols 4 to 10", "update the server"),
        (15, 16, "protocols 15 to 16", "update envsync"),
        (13, 13, "protocol 13", "update the server"),
    ],
)
def test_a_server_that_does_not_serve_our_protocol(
    low: int, high: int, told: str, way_out: str
) -> None:
    transport = Scripted({"GET /health": health(low=low, high=high)})
    with pytest.raises(ApiError) as caught:
        run(reader_of(transport).health())
    assert caught.value.code == "E634"
    assert told in caught.value.message
    assert way_out in caught.value.remedy


REFUSES_PROTOCOL = answered(
    426,
    {"status": "rejected", "code": "protocol_unsupported", "protocol": {"min": 4, "max": 10}},
)


def test_a_426_is_checked_once_and_asked_again() -> None:
    transport = Scripted({"GET /v1/me": [REFUSES_PROTOCOL, answered(200, {"via": "a:b"})]})
    assert run(reader_of(transport).me()).via == "a:b"
    assert [request.path for request in transport.requests] == ["/v1/me", "/health", "/v1/me"]


def test_a_426_that_stays_is_an_error_that_names_the_range() -> None:
    transport = Scripted({"GET /v1/me": REFUSES_PROTOCOL})
    with pytest.raises(ApiError, match="protocols 4 to 10") as caught:
        run(reader_of(transport).me())
    assert (caught.value.code, caught.value.status) == ("E634", 426)
    assert len(transport.requests) == 3


# --- lists


def test_the_list_is_one_request() -> None:
    items = [view(1, f"box-{index}", manifest={}) for index in range(50)]
    transport = Scripted({f"GET {LIST}": answered(200, {"manifests": items})})
    assert len(run(reader_of(transport).list_manifests())) == 50
    assert len(transport.requests) == 1


def test_a_list_without_bodies_is_completed_by_reading_each() -> None:
    items = [view(1, "a"), view(2, "b", manifest={"kind": "none"}), view(3, "c"), view(4, "d")]
    transport = Scripted(
        {
            f"GET {LIST}": answered(200, {"manifests": items}),
            f"GET {LIST}/a": answered(200, view(1, "a", manifest=BODY)),
            f"GET {LIST}/c": answered(200, view(5, "c", manifest=BODY)),
        }
    )
    views = run(reader_of(transport).list_manifests())
    assert [(each.name, each.version) for each in views] == [("a", 1), ("b", 2), ("c", 5)]
    assert all(each.manifest for each in views)


def test_bodies_that_are_known_are_not_read_again() -> None:
    transport = Scripted(
        {
            f"GET {LIST}": answered(200, {"manifests": [view(1, "a")]}),
            f"GET {LIST}/a": answered(200, view(1, "a", manifest=BODY)),
        }
    )
    reader = reader_of(transport)

    async def twice() -> None:
        await reader.list_manifests()
        await reader.list_manifests()

    run(twice())
    assert transport.asked() == [f"GET {LIST}", f"GET {LIST}/a", f"GET {LIST}"]


def test_a_summary_is_asked_for_where_there_is_one() -> None:
    transport = Scripted(
        {
            "GET /health": health(OURS),
            f"GET {LIST}?view=summary": answered(200, {"manifests": [view(1)]}),
        }
    )
    (got,) = run(reader_of(transport).list_summaries())
    assert (got.version, got.manifest) == (1, None)


def test_without_summaries_the_list_is_taken_as_it_comes() -> None:
    transport = Scripted({f"GET {LIST}": answered(200, {"manifests": [view(1)]})})
    assert len(run(reader_of(transport).list_summaries())) == 1
    assert transport.asked() == [f"GET {LIST}"]


def test_a_list_that_is_still_the_same_is_not_sent_again() -> None:
    def listing(request: Request) -> Response:
        if request.headers.get("if-none-match") == 'W/"1"':
            return answered(304, b"", {"etag": 'W/"1"'})
        return answered(200, {"manifests": []}, {"etag": 'W/"1"'})

    reader = reader_of(Scripted({f"GET {LIST}": listing}))
    first = run(reader.list_if_changed())
    assert first is not None
    assert first.etag == 'W/"1"'
    assert run(reader.list_if_changed(first.etag)) is None
    summaries = run(reader.summaries_if_changed())
    assert summaries is not None
    assert run(reader.summaries_if_changed(summaries.etag)) is None


def test_a_manifest_that_is_not_there_is_none() -> None:
    reader = reader_of(Scripted({}))
    assert run(reader.get_manifest("box")) is None
    assert run(reader.versions("box")) is None


def test_names_are_one_segment_of_the_path() -> None:
    transport = Scripted({})
    run(reader_of(transport).get_manifest("a/../b?x", 3))
    assert transport.requests[0].path == f"{LIST}/a%2F..%2Fb%3Fx/versions/3"


# --- dry runs


def test_a_dry_run_names_its_base_and_sends_the_body_as_written() -> None:
    transport = Scripted({f"PUT {LIST}/box?dryRun=true": answered(200, plan(nextVersion=4))})
    got = run(reader_of(transport).dry_run("box", {"setup": [], **BODY}, 3))
    assert got.next_version == 4
    request = transport.requests[-1]
    assert request.headers["if-match"] == "3"
    assert request.headers["content-type"] == "application/json"
    assert json.loads(request.body or b"") == {"setup": [], **BODY}


def test_a_412_is_a_conflict() -> None:
    details: Json = {"currentVersion": 5, "currentHash": "h5", "savedBy": "subject:carol"}
    body: Json = {"code": "manifest_changed", "message": "moved", "details": details}
    got = run(
        reader_of(Scripted({f"PUT {LIST}/box?dryRun=true": answered(412, body)})).dry_run(
            "box", BODY, 3
        )
    )
    assert got.conflict is not None
    assert (got.conflict.current_version, got.conflict.saved_by) == (5, "subject:carol")
    assert not got.unchanged


@pytest.mark.parametrize("status", [400, 409, 413, 422])
def test_a_refusal_that_is_about_the_manifest_is_foreseen(status: int) -> None:
    refused = answered(status, {"code": "request_rejected", "message": "image: not for virtual"})
    transport = Scripted({f"PUT {LIST}/box?dryRun=true": refused})
    got = run(reader_of(transport).dry_run("box", {"image": "a"}, 0))
    assert [error.message for error in got.errors] == ["image: not for virtual"]


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500])
def test_a_refusal_that_is_not_about_the_manifest_is_an_error(status: int) -> None:
    transport = Scripted({f"PUT {LIST}/box?dryRun=true": answered(status, {"message": "no"})})
    with pytest.raises(ApiError):
        run(reader_of(transport).dry_run("box", BODY, 0))


@pytest.mark.parametrize(
    "answer",
    [
        view(4, manifest=BODY, savedAt="2026-11-28T17:04:00.000Z"),
        view(4),
        {"dryRun": False, "changes": []},
        {"dryRun": "false", "savedAt": "2026-11-28T17:04:00.000Z"},
    ],
)
def test_an_answer_that_looks_like_a_save_is_a_loud_error(answer: Json) -> None:
    transport = Scripted({f"PUT {LIST}/box?dryRun=true": answered(200, answer)})
    with pytest.raises(ApiError, match="may have SAVED it") as caught:
        run(reader_of(transport).dry_run("box", BODY, 3))
    assert caught.value.code == "E647"


def test_an_answer_that_says_nothing_of_it_is_believed_only_after_reading() -> None:
    unsaid = answered(200, {"changes": [], "errors": []})
    untouched = Scripted(
        {
            f"PUT {LIST}/box?dryRun=true": unsaid,
            f"GET {LIST}/box": answered(200, view(3, manifest=BODY)),
        }
    )
    assert run(reader_of(untouched).dry_run("box", BODY, 3)).unchanged
    moved = Scripted(
        {
            f"PUT {LIST}/box?dryRun=true": unsaid,
            f"GET {LIST}/box": answered(200, view(4, manifest=BODY)),
        }
    )
    with pytest.raises(ApiError, match="may have SAVED it"):
        run(reader_of(moved).dry_run("box", BODY, 3))


def test_a_plan_that_is_not_json_is_shown_raw() -> None:
    transport = Scripted({f"PUT {LIST}/box?dryRun=true": answered(200, b"<p>planned</p>")})
    got = run(reader_of(transport).dry_run("box", BODY, 0))
    assert (got.unreadable, got.raw, got.unchanged) == (True, "<p>planned</p>", False)


def test_a_server_that_does_not_say_its_protocol_is_not_sent_a_dry_run() -> None:
    transport = Scripted({"GET /health": answered(200, {"status": "ok"})})
    got = run(reader_of(transport).dry_run("box", BODY, 0))
    assert got.unreadable
    assert "protocol 14" in got.raw
    assert transport.asked() == []


REFUSES_KIND = "Unrecognized key(s) in object: 'kind'"


def takes_no_kind(request: Request) -> Response:
    if b'"kind"' in (request.body or b""):
        return answered(400, {"code": "request_rejected", "message": REFUSES_KIND})
    return answered(200, plan(nextVersion=4, changes=[{"op": "add", "path": "/image", "to": "a"}]))


def test_a_server_that_takes_no_kind_is_asked_once_more_without_it() -> None:
    transport = Scripted(
        {
            f"PUT {LIST}/box?dryRun=true": takes_no_kind,
            f"GET {LIST}/box": answered(200, view(3, kind="pod", manifest={})),
        }
    )
    got = run(reader_of(transport).dry_run("box", BODY, 3))
    assert got.without_kind
    assert (got.next_version, got.errors) == (4, ())
    assert got.warnings[0].message == REFUSES_KIND


def test_where_the_kind_would_come_out_otherwise_that_is_an_error() -> None:
    transport = Scripted({f"PUT {LIST}/box?dryRun=true": takes_no_kind})
    got = run(reader_of(transport).dry_run("box", BODY, 0))
    assert [error.message for error in got.errors] == [REFUSES_KIND]


def test_our_own_server_is_not_asked_without_the_kind() -> None:
    refuses = answered(400, {"message": "kind: must be none, virtual or pod"})
    transport = Scripted({"GET /health": health(OURS), f"PUT {LIST}/box?dryRun=true": refuses})
    got = run(reader_of(transport).dry_run("box", {"kind": "vm"}, 0))
    assert [error.message for error in got.errors] == ["kind: must be none, virtual or pod"]
    assert len(transport.asked()) == 1


# --- batches


def items(count: int, size: int = 10) -> list[PlanItem]:
    return [
        PlanItem(f"box-{index:04}", {"image": "x" * size}, if_match=index) for index in range(count)
    ]


def plans_each(request: Request) -> Response:
    assert request.body is not None
    asked = json.loads(request.body)["manifests"]
    assert len(asked) <= 1000
    assert len(request.body) <= 1024 * 1024
    plans = [plan(each["name"], currentVersion=each["ifMatch"]) for each in asked]
    return answered(200, {"dryRun": True, "plans": plans})


def test_many_manifests_are_planned_in_few_requests_and_in_order() -> None:
    transport = Scripted({"GET /health": health(OURS), f"POST {LIST}:plan": plans_each})
    got = run(reader_of(transport).plan_batch(items(2500)))
    assert [each.name for each in got] == [f"box-{index:04}" for index in range(2500)]
    assert [each.current_version for each in got] == list(range(2500))
    assert transport.asked() == [f"POST {LIST}:plan"] * 3
    assert not any(request.repeatable for request in transport.requests if request.method == "POST")


def test_a_batch_stays_below_the_size_of_a_body() -> None:
    transport = Scripted({"GET /health": health(OURS), f"POST {LIST}:plan": plans_each})
    got = run(reader_of(transport).plan_batch(items(30, size=100_000)))
    assert len(got) == 30
    assert len(transport.asked()) == 3


def single(request: Request) -> Response:
    return answered(200, plan(request.path.rpartition("/")[2], nextVersion=1))


def singles(count: int) -> dict[str, Response | list[Response] | object]:
    return {f"PUT {LIST}/box-{index:04}?dryRun=true": single for index in range(count)}


@pytest.mark.parametrize(
    "batch",
    [
        lost(),
        answered(404, {"message": "unknown route"}),
        answered(413, {"message": "too large"}),
        answered(503, {"message": "busy"}),
        answered(200, b"<html>"),
        answered(200, {"dryRun": True, "plans": []}),
        answered(200, {"plans": [plan("box-0000"), plan("box-0001"), plan("box-0002")]}),
        answered(200, {"dryRun": True, "plans": [plan("x"), plan("box-0001"), plan("box-0002")]}),
    ],
)
def test_a_batch_that_comes_to_nothing_becomes_single_dry_runs(batch: Response) -> None:
    transport = Scripted(
        {"GET /health": health(OURS), f"POST {LIST}:plan": batch, **singles(3)}  # type: ignore[dict-item]
    )
    got = run(reader_of(transport).plan_batch(items(3)))
    assert [(each.name, each.next_version) for each in got] == [
        (f"box-{index:04}", 1) for index in range(3)
    ]
    assert transport.asked().count(f"POST {LIST}:plan") == 1


def test_a_server_without_batches_is_asked_one_by_one() -> None:
    transport = Scripted(singles(5))  # type: ignore[arg-type]
    assert len(run(reader_of(transport).plan_batch(items(5)))) == 5
    assert len(transport.asked()) == 5


def test_nothing_to_plan_asks_nothing() -> None:
    transport = Scripted({})
    assert run(reader_of(transport).plan_batch([])) == []
    assert transport.requests == []


def test_the_first_error_of_many_is_raised_as_it_is() -> None:
    transport = Scripted({})
    with pytest.raises(ApiError) as caught:
        run(reader_of(transport).plan_batch(items(5)))
    assert caught.value.status == 404


# --- refusals


@pytest.mark.parametrize(
    ("status", "body", "code", "says"),
    [
        (401, {"code": "credential_required", "message": "m"}, "E635", "asks for a key"),
        (401, {"code": "credential_invalid", "message": "m"}, "E635", "env:KEY"),
        (401, {"code": "token_expired", "message": "m"}, "E635", "has expired"),
        (401, b"", "E635", "env:KEY"),
        (
            403,
            {"code": "scope_required", "message": "m", "details": {"scopes": ["a:b", "c:d"]}},
            "E636",
            "the scope a:b, c:d",
        ),
        (403, {"code": "key_role_mismatch", "message": "management"}, "E637", "wrong role"),
        (403, {"message": "blocked by policy"}, "E637", "blocked by policy"),
        (404, {"message": "unknown route"}, "E638", "unknown route"),
        (413, {"message": "over 1 MiB"}, "E642", "over 1 MiB"),
        (415, {"message": "text/plain"}, "E643", "does not take JSON"),
        (429, b"", "E644", "too many requests"),
        (500, {"code": "internal_error", "message": "Runtime request failed"}, "E645", "500"),
        (502, b"<html><h1>Bad gateway</h1></html>", "E645", "502"),
        (400, {"title": "Bad", "detail": "in detail", "status": 400}, "E646", "in detail"),
        (400, {"error": "as a string"}, "E646", "as a string"),
        (400, {"error": {"code": "c", "message": "inside"}}, "E646", "inside"),
        (400, {"errors": [{"message": "one"}, "two"]}, "E646", "one two"),
        (400, "just a string", "E646", "just a string"),
        (400, {"error": "invalid_grant", "error_description": "described"}, "E646", "described"),
        (418, {"message": "teapot"}, "E648", "418"),
        (204, b"", "E648", "204"),
    ],
)
def test_a_refusal_is_told_plainly(status: int, body: Json, code: str, says: str) -> None:
    transport = Scripted({"GET /v1/me": answered(status, body)})
    credential = Credential(SecretText("canary"), source="env:KEY")
    with pytest.raises(ApiError) as caught:
        run(reader_of(transport, credential).me())
    assert (caught.value.code, caught.value.status) == (code, status)
    assert says in caught.value.message
    assert caught.value.remedy
    assert "canary" not in str(caught.value.problems)


def test_a_refusal_names_its_object_and_keeps_the_wire_code() -> None:
    transport = Scripted({f"GET {LIST}/box": answered(403, {"code": "x_y", "message": "no"})})
    with pytest.raises(ApiError) as caught:
        run(reader_of(transport).get_manifest("box"))
    assert (caught.value.api_code, caught.value.problems[0].subject) == ("x_y", "manifest box")
