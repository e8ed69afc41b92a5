"""Whatever happens in which order: nobody else's save is overwritten unasked, and applying
converges."""

from __future__ import annotations

import asyncio
import itertools
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envsync.api.messages import Request, Response, Transport
from envsync.api.runtime import RuntimeReader
from envsync.embedded import EmbeddedTransport, connect
from envsync.operations import applying, planning
from envsync.operations.applying import ApplyOptions
from envsync.operations.planning import PlanOptions
from envsync.project.config import Context, Project
from envsync.project.hints import hints_path
from tests.operations.conftest import CONFIG, Place

NAMES = ("box", "crate")


class KilledError(BaseException):
    """The process is gone, in the middle of a request."""


@dataclass
class Killing:
    """A transport that ends the process at a write, before or after the server has it."""

    inner: Transport
    writes: int
    after: bool

    @property
    def address(self) -> str:
        return self.inner.address

    async def send(self, request: Request) -> Response:
        writes = request.method in ("PUT", "DELETE") and ("dryRun", "true") not in request.query
        self.writes -= writes
        if writes and self.writes < 0 and not self.after:
            raise KilledError
        response = await self.inner.send(request)
        if writes and self.writes < 0:
            raise KilledError
        return response

    async def aclose(self) -> None:
        await self.inner.aclose()


Action = tuple[Any, ...]
NAME = st.sampled_from(NAMES)
CONTENT = st.integers(1, 4)
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("say"), NAME, CONTENT),
        st.tuples(st.just("say"), NAME, CONTENT),
        st.tuples(st.just("grow"), NAME, st.permutations([1, 2, 3, 4])),
        st.tuples(st.just("grow"), NAME, st.permutations([1, 2, 3, 4])),
        st.tuples(st.just("edit"), NAME, CONTENT),
        st.tuples(st.just("remove"), NAME),
        st.tuples(st.just("commit")),
        st.tuples(st.just("apply"), st.booleans()),
        st.tuples(st.just("apply"), st.booleans()),
        st.tuples(st.just("crash"), st.integers(0, 1), st.booleans()),
        st.tuples(st.just("stranger"), NAME),
        st.tuples(st.just("back"), NAME),
        st.tuples(st.just("back"), NAME),
        st.tuples(st.just("delete"), NAME),
        st.tuples(st.just("forget")),
    ),
    min_size=2,
    max_size=14,
)


@dataclass
class World:
    """One repository, one server, and what of it came from elsewhere.

    ``said`` holds each name's committed contents, oldest first. ``theirs`` is what somebody else
    saved last and the repository has not said since: it must stay.
    """

    place: Place
    said: dict[str, list[int]] = field(default_factory=lambda: {name: [] for name in NAMES})
    files: dict[str, int] = field(default_factory=dict)
    theirs: dict[str, int] = field(default_factory=dict)
    unique: Iterator[int] = field(default_factory=lambda: itertools.count(10))

    def run(self, action: Action) -> None:
        getattr(self, f"do_{action[0]}")(*action[1:])

    def do_edit(self, name: str, content: int) -> None:
        self.files[name] = content
        text = f"kind: virtual\nresources: {{cpus: {content}}}\n"
        self.place.write({f"manifests/{name}.yaml": text})

    def do_say(self, name: str, content: int) -> None:
        self.do_edit(name, content)
        self.do_commit()

    def do_grow(self, name: str, contents: list[int]) -> None:
        """Two versions that commits said in their order."""
        for content in contents[:2]:
            self.do_say(name, content)
            self.do_apply(prune=False)

    def do_remove(self, name: str) -> None:
        if self.files.pop(name, None) is not None:
            (self.place.root / f"manifests/{name}.yaml").unlink()

    def do_commit(self) -> None:
        self.place.commit()
        for name, content in self.files.items():
            if not self.said[name] or self.said[name][-1] != content:
                self.said[name].append(content)
            if self.theirs.get(name) == content:
                del self.theirs[name]

    def do_apply(self, prune: bool) -> None:
        before = dict(self.theirs)
        self._apply(PlanOptions(prune=prune))
        held = self.held()
        for name, content in before.items():
            assert held.get(name) == content, f"{name}: {content} was lost for {held.get(name)}"
            if self.files.get(name) == content:  # the files say it now, and an apply confirmed it
                del self.theirs[name]

    def do_crash(self, writes: int, after: bool) -> None:
        def killing(project: Project, context: Context) -> Transport:
            return Killing(connect(project, context), writes, after)

        before = dict(self.theirs)
        self.place.connect = killing
        try:
            self._apply(PlanOptions())
        except KilledError:
            pass
        finally:
            self.place.connect = connect
        held = self.held()
        for name, content in before.items():
            assert held.get(name) == content

    def do_stranger(self, name: str) -> None:
        """Somebody saves what nobody ever said."""
        content = next(self.unique)
        self.place.saves({name: body(content)})
        self.theirs[name] = content

    def do_back(self, name: str) -> None:
        """Somebody puts back what an earlier commit said, over what a later one said."""
        versions = self.versions(name)
        if len(versions) < 2 or versions[0] not in self.said[name] or name in self.theirs:
            return
        words = self.said[name]
        first = words.index(versions[0])
        older = [
            each for each in versions[1:] if each in words[:first] and each not in words[first:]
        ]
        if older and self.files.get(name) != older[0]:
            self.place.saves({name: body(older[0])})
            self.theirs[name] = older[0]

    def do_delete(self, name: str) -> None:
        if name in self.held():
            self.place.deletes(name)
            self.theirs.pop(name, None)

    def do_forget(self) -> None:
        hints_path(self.place.workspace().project).unlink(missing_ok=True)

    def _apply(self, options: PlanOptions) -> None:
        async def both() -> None:
            workspace = self.place.workspace()
            made = (await planning.plan(workspace, options)).plan
            deletes = sum(each.op == "delete" and not each.held_back for each in made.changes)
            await applying.apply(workspace, made, ApplyOptions(allow_deletes=deletes or None))

        asyncio.run(both())

    def held(self) -> dict[str, int]:
        return {name: found[0] for name in NAMES if (found := self.versions(name))}

    def versions(self, name: str) -> list[int]:
        """The contents that the server keeps, newest first."""

        async def read() -> list[int]:
            transport = EmbeddedTransport(self.place.database)
            views = await RuntimeReader(transport, None).versions(name)
            await transport.aclose()
            return [each.manifest["resources"]["cpus"] for each in views or ()]  # type: ignore[index]

        return asyncio.run(read())

    def settles(self) -> None:
        """Once somebody says that ours wins, one apply is enough, and a second one changes
        nothing."""
        self._apply(PlanOptions(on_drift="overwrite", recreate=True))
        made = asyncio.run(planning.plan(self.place.workspace())).plan
        assert made.changes == ()
        held = self.held()
        assert {name: held.get(name) for name in self.files} == self.files


def body(content: int) -> dict[str, Any]:
    return {"kind": "virtual", "resources": {"cpus": content}}


def new_world(folder: Path) -> World:
    root = folder / "acme"
    root.mkdir()
    place = Place(root, folder / "server.db")
    place.write({"envsync.yaml": CONFIG.format(database=place.database)})
    place.git("init", "-q", "-b", "main")
    place.commit()
    return World(place)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(ACTIONS)
def test_nobody_s_save_is_lost_and_applying_converges(actions: list[Action]) -> None:
    with tempfile.TemporaryDirectory(prefix="envsync-world-") as folder:
        world = new_world(Path(folder))
        for action in actions:
            world.run(action)
        world.settles()
