"""Saving and deleting, and knowing afterwards what happened."""

from __future__ import annotations

import asyncio

import pytest

from envsync.api.messages import Request, Response
from envsync.api.runtime import RuntimeReader, RuntimeWriter
from envsync.api.views import Deleted, Saved
from envsync.contract.json_types import Json
from envsync.errors import ApiError, NetworkError
from tests.api.scripted import OURS, Answering, Scripted, answered, health, lost

BOX = "/v1/environment-manifests/box"
BODY: dict[str, Json] = {"kind": "pod", "image": "a", "resources": {"memory": "2GiB"}}
CANONICAL: dict[str, Json] = {
    "kind": "pod",
    "image": "a",
    "harness": "nylorun",
    "lifecycle": {},
    "resources": {"cpus": 2, "memory": "2048MiB"},
    "storage": "5GiB",
}
BUSY = answered(503, {"message": "busy"})


def view(version: int, **more: Json) -> dict[str, Json]:
    return {"name": "box", "version": version, "hash": f"h{version}", "kind": "pod", **more}


def holding(version: int, manifest: Json = None) -> Response:
    return answered(200, view(version, manifest=manifest or CANONICAL))


def save(transport: Scripted, if_match: int | None = 3) -> Saved:
    return asyncio.run(
        RuntimeWriter(RuntimeReader(transport, None)).save_manifest("box", BODY, if_match)
    )


def delete(transport: Scripted, if_match: int | None = 3) -> Deleted:
    return asyncio.run(
        RuntimeWriter(RuntimeReader(transport, None)).delete_manifest("box", if_match)
    )


def test_a_save_names_its_base_and_costs_one_request() -> None:
    transport = Scripted({f"PUT {BOX}": answered(200, view(4, unchanged=False))})
    saved = save(transport)
    assert (saved.view.version, saved.view.hash, saved.unchanged) == (4, "h4", False)
    assert transport.requests[0].headers["if-match"] == "3"
    assert transport.asked() == [f"PUT {BOX}"]


def test_only_a_save_with_a_base_may_be_repeated() -> None:
    for if_match in (3, 0, None):
        transport = Scripted({f"PUT {BOX}": answered(200, view(4))})
        save(transport, if_match)
        assert transport.requests[0].repeatable is (if_match is not None)
        assert ("if-match" in transport.requests[0].headers) is (if_match is not None)


def test_a_save_that_changes_nothing_is_told() -> None:
    said = Scripted({f"PUT {BOX}": answered(200, view(3, unchanged=True))})
    unsaid = Scripted({f"PUT {BOX}": answered(200, view(3))})
    assert save(said).unchanged
    assert save(unsaid).unchanged


@pytest.mark.parametrize(
    "answer", [b"", b"<html>saved</html>", {}, {"ok": True}, {"dryRun": True, "changes": []}]
)
def test_what_the_answer_does_not_say_is_learnt_by_reading(answer: Json) -> None:
    transport = Scripted({f"PUT {BOX}": answered(200, answer), f"GET {BOX}": holding(4)})
    saved = save(transport)
    assert (saved.view.version, saved.unchanged) == (4, False)
    assert transport.asked()[:2] == [f"PUT {BOX}", f"GET {BOX}"]


def test_a_success_that_reading_does_not_show_is_an_error() -> None:
    transport = Scripted(
        {f"PUT {BOX}": answered(200, {}), f"GET {BOX}": holding(3, {"image": "z"})}
    )
    with pytest.raises(ApiError, match="does not show it as it was sent") as caught:
        save(transport)
    assert caught.value.code == "E650"


@pytest.mark.parametrize("answer", [lost(), BUSY, answered(500, b""), answered(504, b"<html>")])
def test_a_lost_answer_to_a_save_that_was_done_is_success(answer: Response | Answering) -> None:
    transport = Scripted({f"PUT {BOX}": answer, f"GET {BOX}": holding(4)})
    saved = save(transport)
    assert (saved.view.version, saved.unchanged) == (4, False)
    assert "the answer was lost" in saved.notes[0]
    assert transport.asked().count(f"PUT {BOX}") == 1


def test_a_lost_answer_to_a_save_that_was_not_done_is_that_error() -> None:
    transport = Scripted({f"PUT {BOX}": lost(), f"GET {BOX}": holding(3, {"image": "z"})})
    with pytest.raises(NetworkError, match="the connection was cut") as caught:
        save(transport)
    assert caught.value.sent
    busy = Scripted({f"PUT {BOX}": BUSY, f"GET {BOX}": holding(3, {"image": "z"})})
    with pytest.raises(ApiError) as refused:
        save(busy)
    assert refused.value.status == 503


def test_what_was_never_sent_is_not_looked_up() -> None:
    transport = Scripted({f"PUT {BOX}": lost(sent=False), f"GET {BOX}": holding(4)})
    with pytest.raises(NetworkError):
        save(transport)
    assert transport.asked() == [f"PUT {BOX}"]


def test_a_lost_answer_that_cannot_be_looked_up_is_called_unknown() -> None:
    transport = Scripted({f"PUT {BOX}": lost(), f"GET {BOX}": lost()})
    with pytest.raises(NetworkError, match="is not known") as caught:
        save(transport)
    assert (caught.value.code, caught.value.sent) == ("E649", True)
    assert "envsync plan" in caught.value.remedy


CHANGED = answered(
    412,
    {"code": "manifest_changed", "message": "moved", "details": {"currentVersion": 4}},
)


def test_a_changed_manifest_is_a_conflict_with_its_details() -> None:
    transport = Scripted({f"PUT {BOX}": CHANGED, f"GET {BOX}": holding(4, {"image": "z"})})
    with pytest.raises(ApiError) as caught:
        save(transport)
    assert (caught.value.code, caught.value.status) == ("E641", 412)
    assert caught.value.details == {"currentVersion": 4}


def test_a_conflict_with_what_somebody_else_saved_alike_is_unchanged() -> None:
    theirs = answered(200, view(4, manifest=CANONICAL, savedBy="subject:carol"))
    transport = Scripted({f"PUT {BOX}": CHANGED, f"GET {BOX}": theirs})
    saved = save(transport)
    assert (saved.view.version, saved.unchanged) == (4, True)
    assert "subject:carol" in saved.notes[0]


def test_a_conflict_with_our_own_earlier_attempt_is_our_save() -> None:
    resent = Response(412, {}, CHANGED.body, resent=True)
    transport = Scripted({f"PUT {BOX}": resent, f"GET {BOX}": holding(4)})
    saved = save(transport)
    assert (saved.view.version, saved.unchanged) == (4, False)
    assert "the answer was lost" in saved.notes[0]


def test_a_conflict_stays_one_when_reading_fails() -> None:
    transport = Scripted({f"PUT {BOX}": CHANGED, f"GET {BOX}": lost()})
    with pytest.raises(ApiError) as caught:
        save(transport)
    assert caught.value.status == 412


def test_where_a_server_fills_in_defaults_of_its_own_its_word_decides() -> None:
    filled = {**CANONICAL, "resources": {"cpus": 4, "memory": "2048MiB"}, "extra": 1}

    def put(request: Request) -> Response:
        if request.query:
            return answered(200, {"dryRun": True, "unchanged": True, "changes": []})
        return lost()(request)

    transport = Scripted(
        {f"PUT {BOX}": put, f"PUT {BOX}?dryRun=true": put, f"GET {BOX}": holding(4, filled)}
    )
    assert save(transport).view.version == 4
    ours = Scripted(
        {"GET /health": health(OURS), f"PUT {BOX}": put, f"GET {BOX}": holding(4, filled)}
    )
    with pytest.raises(NetworkError):
        save(ours)


def takes_no_kind(request: Request) -> Response:
    if b'"kind"' in (request.body or b""):
        return answered(400, {"message": "Unrecognized key: kind"})
    return answered(200, view(4))


def test_without_kind_only_where_the_manifest_has_it_already() -> None:
    transport = Scripted({f"PUT {BOX}": takes_no_kind, f"GET {BOX}": holding(3)})
    assert save(transport).view.version == 4
    new = Scripted({f"PUT {BOX}": takes_no_kind})
    with pytest.raises(ApiError, match="Unrecognized key: kind"):
        save(new, 0)
    assert new.asked().count(f"PUT {BOX}") == 1


def test_a_save_that_came_out_as_another_kind_is_an_error() -> None:
    transport = Scripted({f"PUT {BOX}": answered(200, {**view(4), "kind": "virtual"})})
    with pytest.raises(ApiError, match="with kind virtual, and not pod") as caught:
        save(transport)
    assert caught.value.code == "E651"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422, 429])
def test_any_other_refusal_is_an_error_and_is_not_repeated(status: int) -> None:
    transport = Scripted({f"PUT {BOX}": answered(status, {"message": "no"})})
    with pytest.raises(ApiError) as caught:
        save(transport)
    assert caught.value.status == status
    assert transport.asked() == [f"PUT {BOX}"]


# --- deleting


def test_a_delete_reads_just_before_and_says_that_it_is_not_atomic() -> None:
    transport = Scripted(
        {
            f"GET {BOX}": holding(3),
            f"DELETE {BOX}": answered(200, {"name": "box", "deleted": True, "versions": 3}),
        }
    )
    deleted = delete(transport)
    assert (deleted.deleted, deleted.versions, deleted.atomic) == (True, 3, False)
    assert transport.asked() == [f"GET {BOX}", f"DELETE {BOX}"]
    assert "if-match" not in transport.requests[-1].headers
    assert not transport.requests[-1].repeatable


def test_our_own_server_checks_the_version_itself() -> None:
    transport = Scripted(
        {
            "GET /health": health(OURS),
            f"GET {BOX}": holding(3),
            f"DELETE {BOX}": answered(200, {"name": "box", "deleted": True, "versions": 3}),
        }
    )
    assert delete(transport).atomic
    assert transport.requests[-1].headers["if-match"] == "3"


def test_what_was_changed_since_is_not_deleted() -> None:
    transport = Scripted({f"GET {BOX}": holding(4)})
    with pytest.raises(ApiError, match="the latest is version 4") as caught:
        delete(transport)
    assert (caught.value.status, caught.value.api_code) == (412, "manifest_changed")
    assert transport.asked() == [f"GET {BOX}"]


def test_what_is_gone_already_is_not_deleted_again() -> None:
    transport = Scripted({})
    assert not delete(transport).deleted
    assert transport.asked() == [f"GET {BOX}"]


def test_what_is_in_use_names_the_environments() -> None:
    details: Json = {"environments": ["users/alice/web", "users/bob/web"], "total": 7}
    body: Json = {"code": "manifest_in_use", "message": "in use", "details": details}
    transport = Scripted({f"GET {BOX}": holding(3), f"DELETE {BOX}": answered(409, body)})
    with pytest.raises(ApiError) as caught:
        delete(transport)
    assert (caught.value.code, caught.value.details) == ("E639", details)
    assert "7 Environments" in caught.value.message
    assert "users/alice/web" in caught.value.message


@pytest.mark.parametrize("answer", [lost(), BUSY, answered(429, b"")])
def test_a_lost_answer_to_a_delete_is_looked_up_and_only_then_asked_again(
    answer: Response | Answering,
) -> None:
    done = Scripted({f"GET {BOX}": [holding(3), answered(404, b"")], f"DELETE {BOX}": answer})
    assert delete(done).deleted
    assert done.asked().count(f"DELETE {BOX}") == 1
    never = Scripted({f"GET {BOX}": holding(3), f"DELETE {BOX}": answer})
    with pytest.raises((ApiError, NetworkError)):
        delete(never)
    assert never.asked() == [f"GET {BOX}", f"DELETE {BOX}"] * 3


def test_a_manifest_made_again_meanwhile_is_not_deleted_by_a_second_attempt() -> None:
    transport = Scripted({f"GET {BOX}": [holding(3), holding(4)], f"DELETE {BOX}": lost()})
    with pytest.raises(ApiError) as caught:
        delete(transport)
    assert caught.value.status == 412
    assert transport.asked().count(f"DELETE {BOX}") == 1


def test_a_delete_whose_answer_cannot_be_read_is_looked_up_no_further() -> None:
    transport = Scripted({f"GET {BOX}": holding(3), f"DELETE {BOX}": answered(204, b"")})
    deleted = delete(transport)
    assert (deleted.deleted, deleted.versions) == (True, -1)


def test_a_delete_that_is_lost_and_cannot_be_looked_up_is_called_unknown() -> None:
    transport = Scripted({f"GET {BOX}": [holding(3), answered(500, b"")], f"DELETE {BOX}": lost()})
    with pytest.raises(NetworkError, match="is not known"):
        delete(transport)
