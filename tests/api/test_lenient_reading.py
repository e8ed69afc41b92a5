"""A server that we do not know is understood as far as it can be, and never further."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envsync.api.messages import Response
from envsync.api.plan_reading import meaning_of, read_plan
from envsync.api.reading import (
    actor,
    read_caller,
    read_health,
    read_listing,
    read_view,
    read_views,
)
from envsync.api.refusals import Asked, error_of
from envsync.api.runtime import RuntimeReader, RuntimeWriter
from envsync.contract.json_types import Json
from envsync.errors import ApiError, EnvsyncError
from tests.api.scripted import Scripted, answered, health

BOX: Json = {"name": "box", "version": 3, "hash": "ab", "kind": "pod", "manifest": {"image": "a"}}


@pytest.mark.parametrize(
    "body",
    [
        {"manifests": [BOX]},
        {"manifests": [BOX], "next": None, "tags": [{"name": "x"}]},
        {"items": [BOX]},
        {"data": [BOX], "total": 1, "warnings": ["slow"]},
        [BOX],
    ],
)
def test_a_list_is_found_under_its_key_or_where_it_alone_can_be(body: Json) -> None:
    (view,) = read_listing(answered(200, body)).manifests
    assert (view.name, view.version, view.hash, view.kind) == ("box", 3, "ab", "pod")


@pytest.mark.parametrize(
    "body",
    [
        {},
        None,
        "text",
        7,
        {"a": [BOX], "b": [BOX]},
        {"manifests": [BOX, "box2"]},
        {"manifests": [BOX, {"name": "no version"}]},
        {"manifests": [{"version": 3}]},
        {"manifests": {"box": BOX}},
        b"<html>",
        b"",
    ],
)
def test_a_list_that_cannot_be_read_whole_is_an_error_and_not_a_shorter_list(body: Json) -> None:
    with pytest.raises(ApiError) as caught:
        read_listing(answered(200, body))
    assert caught.value.code == "E632"
    assert caught.value.remedy


def test_an_empty_list_is_a_list() -> None:
    assert read_listing(answered(200, {"manifests": []})).manifests == ()


def test_the_kind_is_read_beside_the_manifest_or_inside_it() -> None:
    beside = read_view(answered(200, BOX), "box")
    inside = read_view(
        answered(200, {"version": 3, "manifest": {"kind": "pod", "image": "a"}}), "box"
    )
    for view in (beside, inside):
        assert view.name == "box"
        assert view.kind == "pod"
        assert view.manifest == {"kind": "pod", "image": "a"}


def test_what_is_not_said_has_a_default() -> None:
    view = read_view(answered(200, {"version": "4"}), "box")
    assert (view.version, view.hash, view.manifest, view.environments) == (4, "", None, -1)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("application:ci", "application:ci"),
        ({"type": "application", "id": "ci"}, "application:ci"),
        ({"kind": "issuer", "name": "acme", "subject": "u1"}, "issuer:acme:u1"),
        ({"who": True}, '{"who":true}'),
        (None, ""),
        (7, "7"),
    ],
)
def test_who_saved_it_is_a_string_or_an_object(said: Json, meant: str) -> None:
    assert actor(said) == meant


def test_versions_take_their_name_from_the_envelope_and_come_newest_first() -> None:
    body = {"name": "box", "versions": [{"version": 1}, {"version": 3}, {"version": 2}]}
    transport = Scripted({"GET /v1/environment-manifests/box/versions": answered(200, body)})
    views = asyncio.run(RuntimeReader(transport, None).versions("box"))
    assert views is not None
    assert [(view.name, view.version) for view in views] == [("box", 3), ("box", 2), ("box", 1)]


# --- plans


def test_a_plan_as_our_server_gives_it() -> None:
    plan = read_plan(
        {
            "dryRun": True,
            "name": "box",
            "currentVersion": 3,
            "nextVersion": 4,
            "unchanged": False,
            "changes": [{"op": "replace", "path": "/image", "from": "a", "to": "b"}],
            "errors": [],
            "warnings": [{"code": "host_unused", "message": "m", "path": "/network"}],
            "environments": {"total": 3, "onOlderVersions": 2},
        },
        "box",
    )
    assert (plan.current_version, plan.next_version, plan.unchanged) == (3, 4, False)
    assert (plan.changes[0].op, plan.changes[0].old, plan.changes[0].new) == ("replace", "a", "b")
    assert (plan.warnings[0].code, plan.warnings[0].path) == ("host_unused", "/network")
    assert (plan.environments_total, plan.environments_on_older) == (3, 2)
    assert not plan.unreadable


@pytest.mark.parametrize(
    "errors",
    ["the image is missing", ["the image is missing"], {"message": "the image is missing"}],
)
def test_errors_may_be_a_string_an_object_or_a_list(errors: Json) -> None:
    plan = read_plan({"dryRun": True, "errors": errors}, "box")
    assert [error.message for error in plan.errors] == ["the image is missing"]
    assert not plan.unchanged


@pytest.mark.parametrize(
    "body", [None, [], "ok", 1, {}, {"dryRun": True}, {"dryRun": True, "x": 1}]
)
def test_a_plan_that_cannot_be_read_is_flagged_and_is_not_no_changes(body: Json) -> None:
    plan = read_plan(body, "box")
    assert plan.unreadable
    assert plan.raw == orjson.dumps(body).decode()
    assert not plan.unchanged


@pytest.mark.parametrize(
    ("body", "unchanged"),
    [
        ({"unchanged": True}, True),
        ({"unchanged": False, "changes": []}, False),
        ({"changes": [], "errors": []}, True),
        ({"changes": []}, True),
        ({"changes": [], "errors": ["no"]}, False),
        ({"changes": [], "nextVersion": 4}, False),
        ({"changes": None}, False),
        ({"errors": []}, False),
        ({"nextVersion": None}, False),
    ],
)
def test_unchanged_is_what_the_server_says_or_an_empty_list_of_changes(
    body: dict[str, Json], unchanged: bool
) -> None:
    assert read_plan({"dryRun": True, **body}, "box").unchanged is unchanged


def test_a_plan_may_stand_in_an_envelope() -> None:
    plan = read_plan({"dryRun": True, "plan": {"changes": ["image changes"]}}, "box")
    assert plan.changes[0].text == "image changes"


def test_a_stale_base_among_the_errors_is_a_conflict() -> None:
    body = {
        "dryRun": True,
        "currentVersion": 5,
        "errors": [
            {"code": "manifest_changed", "message": "moved"},
            {"code": "other", "message": "and this"},
        ],
        "conflict": {"currentVersion": 5, "currentHash": "ab", "savedBy": {"id": "carol"}},
    }
    plan = read_plan(body, "box")
    assert plan.conflict is not None
    assert (plan.conflict.current_version, plan.conflict.current_hash) == (5, "ab")
    assert plan.conflict.saved_by == "carol"
    assert [error.code for error in plan.errors] == ["other"]


# --- anything at all

_anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("name", "id", "version", "hash", "kind", "manifest", "manifests", "versions"),
                    *("savedAt", "savedBy", "environments", "dryRun", "plan", "plans", "changes"),
                    *(
                        "errors",
                        "warnings",
                        "error",
                        "code",
                        "message",
                        "details",
                        "protocol",
                        "min",
                    ),
                    *("max", "features", "status", "path", "op", "unchanged", "currentVersion"),
                    *("nextVersion", "conflict", "scopes", "total", "via", "deleted", "title"),
                ]
            )
            | st.text(max_size=4),
            inner,
            max_size=6,
        )
    ),
    max_leaves=25,
)
_statuses = st.sampled_from([200, 204, 304, 400, 401, 403, 404, 409, 412, 413, 422, 426, 429, 500])


def _encoded(value: Json) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:
        return b"null"


_responses = st.builds(
    Response,
    _statuses,
    st.just({}),
    _anything.map(_encoded) | st.binary(max_size=30),
)

_readers: list[Callable[[Response], object]] = [
    read_health,
    read_caller,
    read_listing,
    lambda response: read_view(response, "box"),
    lambda response: read_views(response, "versions", "box"),
    lambda response: error_of(response, Asked("manifest box", "env:KEY")).problems,
]


@given(_responses)
@settings(max_examples=400, deadline=None)
def test_no_answer_at_all_breaks_a_reader(response: Response) -> None:
    for read in _readers:
        with suppress(EnvsyncError):
            read(response)


@given(_anything)
@settings(max_examples=400, deadline=None)
def test_no_plan_at_all_breaks_its_reader(value: Json) -> None:
    meaning_of(value)
    plan = read_plan(value, "box")
    assert not (plan.unreadable and plan.unchanged)


@given(st.lists(_responses, min_size=1, max_size=3), st.sampled_from([[], ["envsync-batch-plan"]]))
@settings(max_examples=300, deadline=None)
def test_no_server_at_all_breaks_the_client(answers: list[Response], features: list[str]) -> None:
    async def conversation() -> None:
        scripts: dict[str, list[Response]] = {"GET /health": [health(features)]}
        paths = ("", "/box", "/box/versions", "/box?dryRun=true", ":plan")
        for path in paths:
            for method in ("GET", "PUT", "POST", "DELETE"):
                scripts[f"{method} /v1/environment-manifests{path}"] = list(answers)
        reader = RuntimeReader(Scripted(scripts), None)
        writer = RuntimeWriter(reader)
        body = {"kind": "virtual"}
        for call in (
            reader.list_manifests(),
            reader.list_summaries(),
            reader.get_manifest("box"),
            reader.versions("box"),
            reader.dry_run("box", body, 3),
            writer.save_manifest("box", body, 3),
            writer.delete_manifest("box", 3),
        ):
            with suppress(EnvsyncError):
                await call

    asyncio.run(conversation())


def test_an_error_nested_without_end_is_read_to_some_depth() -> None:
    body = b'{"error":' * 500 + b"1" + b"}" * 500
    assert error_of(Response(500, {}, body), Asked()).code == "E645"
