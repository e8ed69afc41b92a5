"""The environment manifest routes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from envsync.server.auth.access import READ, WRITE
from envsync.server.routes.answer import Answer, json_answer
from envsync.server.routes.call import Call
from envsync.server.routes.manifest_names import choice, name_and_version_of, name_of
from envsync.server.routes.table import Route
from envsync.server.services import manifests
from envsync.server.services.abilities import Abilities
from envsync.server.services.preconditions import if_match_version
from envsync.server.store.interface import Transaction

if TYPE_CHECKING:
    from envsync.server.routes.manifest_requests import Save

_ALL = "/v1/environment-manifests"
_ONE = "/v1/environment-manifests/{}"


def manifest_routes(abilities: Abilities) -> tuple[Route, ...]:
    """The routes, for a server with ``abilities``."""

    def read_save(call: Call) -> Save:
        from envsync.server.routes.manifest_requests import read_save

        return read_save(call, abilities)

    def read_batch(call: Call) -> tuple[manifests.PlanItem, ...]:
        from envsync.server.routes.manifest_requests import read_batch

        return read_batch(call, abilities)

    return (
        Route("GET", _ALL, READ, _list, prepare=_wants_summary, heavy=True),
        Route(
            "POST", f"{_ALL}:plan", WRITE, _plan, prepare=read_batch, takes_body=True, heavy=True
        ),
        Route("GET", _ONE, READ, _get, prepare=name_of),
        Route("PUT", _ONE, WRITE, _save, prepare=read_save, takes_body=True, writes=_saves),
        Route("DELETE", _ONE, WRITE, _delete, prepare=_deletion, writes=lambda _: True),
        Route("GET", f"{_ONE}/versions", READ, _versions, prepare=name_of, heavy=True),
        Route("GET", f"{_ONE}/versions/{{}}", READ, _version, prepare=name_and_version_of),
    )


def _wants_summary(call: Call) -> bool:
    return choice(call, "view", ("full", "summary"), "full") == "summary"


def _saves(save: Save) -> bool:
    return not save.dry_run


def _deletion(call: Call) -> tuple[str, int | None]:
    return name_of(call), if_match_version(call.header("if-match"))


def _list(tx: Transaction, call: Call, summary: bool) -> Answer:
    found = manifests.list_manifests(
        tx, call.tenant, summary=summary, if_none_match=call.header("if-none-match")
    )
    headers = (("etag", found.etag),)
    return Answer(304, None, headers) if found.body is None else Answer(200, found.body, headers)


def _get(tx: Transaction, call: Call, name: str) -> Answer:
    return Answer(200, manifests.get_manifest(tx, call.tenant, name))


def _version(tx: Transaction, call: Call, wanted: tuple[str, int]) -> Answer:
    return Answer(200, manifests.get_manifest(tx, call.tenant, *wanted))


def _versions(tx: Transaction, call: Call, name: str) -> Answer:
    return Answer(200, manifests.get_versions(tx, call.tenant, name))


def _save(tx: Transaction, call: Call, save: Save) -> Answer:
    tenant, name = call.tenant, save.name
    if save.dry_run:
        return json_answer(manifests.plan_manifest(tx, tenant, name, save.draft, save.if_match))
    saved = manifests.save_manifest(
        tx, tenant, name, save.draft, save.if_match, call.caller.saved_by, call.now
    )
    return Answer(200, saved.body)


def _delete(tx: Transaction, call: Call, wanted: tuple[str, int | None]) -> Answer:
    return json_answer(manifests.delete_manifest(tx, call.tenant, *wanted))


def _plan(tx: Transaction, call: Call, items: tuple[manifests.PlanItem, ...]) -> Answer:
    return Answer(200, manifests.plan_batch(tx, call.tenant, items))
