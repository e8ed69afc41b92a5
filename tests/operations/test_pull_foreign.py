"""pull from a server that is not envsync's own: its defaults and its hashes are unknown to us."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from envsync.api.messages import Request, Response
from envsync.embedded import EmbeddedTransport
from envsync.project.config import Context, Project
from tests.operations.conftest import Place

SCHEMA = "$schema: ../schemas/environment-manifest.schema.json\n"


class Foreign:
    """Serves no extension of ours, hashes in its own way, and gives 3 GiB where nobody says."""

    def __init__(self, inner: EmbeddedTransport) -> None:
        self.inner = inner

    @property
    def address(self) -> str:
        return "https://runtime.example"

    async def send(self, request: Request) -> Response:
        if request.method == "PUT" and request.body:
            body = json.loads(request.body)
            if body.get("kind", "virtual") != "none":
                body["resources"] = {"memory": "3072MiB", **body.get("resources", {})}
            request = replace(request, body=json.dumps(body).encode())
        response = await self.inner.send(request)
        if response.body:
            text = response.body.replace(b'"hash":"', b'"hash":"x')
            said = json.loads(text)
            if request.path == "/health":
                said["protocol"]["features"] = []
            response = replace(response, body=json.dumps(said).encode())
        return response

    async def aclose(self) -> None:
        await self.inner.aclose()


@pytest.fixture
def place(make_place: Callable[..., Place]) -> Place:
    made = make_place()

    def connect(project: Project, context: Context) -> Any:
        return Foreign(EmbeddedTransport(made.database))

    made.connect = connect
    return made


def test_what_its_own_defaults_would_give_is_left_out(place: Place) -> None:
    place.saves({"web": {"resources": {"cpus": 4, "memory": "3072MiB"}}, "none": {"kind": "none"}})
    place.pull()
    assert place.plan().changes == ()
    assert "memory: 3GiB" in place.read("manifests/web.yaml")


def test_what_only_our_defaults_would_give_is_written_out(place: Place) -> None:
    place.saves({"web": {"resources": {"cpus": 4, "memory": "1024MiB"}}})
    place.pull()
    assert "memory: 1GiB" in place.read("manifests/web.yaml")
    assert place.plan().changes == ()


def test_a_file_that_leaves_the_default_out_goes_on_doing_so(place: Place) -> None:
    place.write({"manifests/web.yaml": SCHEMA + "# ours\nlifecycle: {idle: 5m}\n"})
    place.commit()
    place.apply()
    place.saves({"web": {"lifecycle": {"idle": "9m"}, "resources": {"memory": "3072MiB"}}})
    place.pull()
    assert place.diff() == "-lifecycle: {idle: 5m}\n+lifecycle: {idle: 9m}\n"
    assert place.plan().changes == ()
    assert place.pull().counts.total() == 1


def test_a_field_that_is_no_default_of_its_own_is_added(place: Place) -> None:
    place.write({"manifests/web.yaml": SCHEMA + "# ours\nlifecycle: {idle: 5m}\n"})
    place.commit()
    place.apply()
    place.saves({"web": {"lifecycle": {"idle": "5m"}, "resources": {"memory": "1024MiB"}}})
    place.pull()
    assert "memory: 1GiB" in place.diff()
    assert place.plan().changes == ()


def test_a_version_that_was_is_written_out(place: Place) -> None:
    place.saves({"web": {"resources": {"memory": "1024MiB"}}})
    place.saves({"web": {"resources": {"memory": "3072MiB"}}})
    place.pull()
    place.commit()
    place.rollback("web@1")
    (change,) = place.plan().changes
    assert [field.new for field in change.fields] == ["1024MiB"]


def test_fields_left_to_others_are_none_of_our_business_here_either(place: Place) -> None:
    config = place.read("envsync.yaml")
    place.write({
        "envsync.yaml": config + "ignore: [{type: manifest, path: /lifecycle/idle}]\n",
        "manifests/web.yaml": SCHEMA + "lifecycle: {idle: 5m}\nkind: pod\n",
    })  # fmt: skip
    place.commit()
    place.apply()
    place.saves({"web": {"kind": "pod", "lifecycle": {"idle": "9m", "deleteAfter": "1d"},
                         "resources": {"memory": "3072MiB"}}})  # fmt: skip
    place.pull()
    assert place.diff() == (
        "-lifecycle: {idle: 5m}\n+lifecycle: {idle: 5m, deleteAfter: 1d}\n"
        "+resources:\n+  memory: 3GiB\n"
    )
    assert place.plan().changes == ()


def test_a_name_that_leads_out_of_the_repository_is_no_file_s(place: Place, tmp_path: Path) -> None:
    place.saves({"web": {}})
    inner = place.connect

    class Hostile:
        """Calls its manifest by a path."""

        def __init__(self, transport: Any) -> None:
            self.transport = transport
            self.address = transport.address

        async def send(self, request: Request) -> Response:
            response = await self.transport.send(request)
            return replace(response, body=response.body.replace(b'"web"', b'"../../web"'))

        async def aclose(self) -> None:
            await self.transport.aclose()

    place.connect = lambda project, context: Hostile(inner(project, context))
    report = place.pull()
    assert [problem.code for problem in report.objects[0].problems] == ["E456"]
    assert not list(tmp_path.rglob("web.*"))
