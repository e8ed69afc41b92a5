"""The throw-away cache: never another answer than without it."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from envsync.linting.linter import lint
from envsync.project.config import Project, load
from envsync.resources import cache as caching
from envsync.resources import look
from envsync.resources.cache import cache_path
from envsync.resources.memory import Memory
from envsync.resources.reading import declare

Write = Callable[[Mapping[str, str | bytes]], Project]
BOX = "kind: pod\nresources: {memory: 2GiB}\n"
LONG_AGO = 1_700_000_000_000_000_000


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were parsed."""
    paths: list[str] = []
    source_of = look.source_of

    def spy(file, *rest):  # type: ignore[no-untyped-def]
        paths.append(file.path)
        return source_of(file, *rest)

    monkeypatch.setattr(look, "source_of", spy)
    return paths


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files whose bytes were read."""
    paths: list[str] = []
    read_bytes = look.read_bytes

    def spy(file):  # type: ignore[no-untyped-def]
        paths.append(file.path)
        return read_bytes(file)

    monkeypatch.setattr(look, "read_bytes", spy)
    return paths


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Moves the clock that the cache looks at."""

    def move(seconds: int) -> None:
        monkeypatch.setattr(look, "time_ns", lambda: time.time_ns() + seconds * 1_000_000_000)

    return move


def test_an_unchanged_file_is_not_parsed_again(write: Write, parsed: list[str]) -> None:
    project = write({"manifests/a.yaml": BOX, "manifests/b.yaml": BOX})
    first = declare(project, "local")
    assert len(parsed) == 2
    assert declare(project, "local") == first
    assert len(parsed) == 2


def test_an_old_stamp_is_believed_and_a_fresh_one_is_not(
    write: Write, read: list[str], later: Callable[[int], None]
) -> None:
    project = write({"manifests/a.yaml": BOX})
    declare(project, "local")
    declare(project, "local")
    assert len(read) == 2, "the file may have changed twice within one tick of the clock"
    later(60)
    declare(project, "local")
    assert len(read) == 3, "the look that was kept was still too close to the change"
    declare(project, "local")
    assert len(read) == 3


def test_a_change_within_one_tick_is_seen(write: Write, root: Path) -> None:
    project = write({"manifests/a.yaml": BOX})
    first = declare(project, "local")
    path = root / "manifests/a.yaml"
    stamp = path.stat()
    path.write_bytes(BOX.replace("2GiB", "3GiB").encode())
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert declare(project, "local") != first
    assert declare(project, "local") == declare(project, "local", cache=False)


def test_warnings_are_remembered_too(write: Write, parsed: list[str]) -> None:
    project = write({"manifests/a.yaml": "setup:\n  - command: apt-get install jq\n"})
    first = declare(project, "local", lint=lint)
    assert [problem.code for problem in first.problems] == ["W303"]
    assert declare(project, "local", lint=lint) == first
    assert len(parsed) == 1


def test_an_error_is_looked_at_every_time(write: Write, parsed: list[str]) -> None:
    project = write({"manifests/a.yaml": "kinds: pod\n"})
    assert declare(project, "local") == declare(project, "local")
    assert len(parsed) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"envsync.yaml": "project: other\ncontexts: {local: {server: embedded}}\n"},
        {"policies/p.schema.json": "{}"},
        {"overlays/local/manifests/a.yaml": "kind: pod\n"},
    ],
)
def test_what_the_answer_depends_on_is_part_of_the_key(
    write: Write, parsed: list[str], change: dict[str, str]
) -> None:
    declare(write({"manifests/a.yaml": BOX}), "local")
    declare(write({"manifests/a.yaml": BOX, **change}), "local")
    assert len(parsed) == 2


def test_contexts_are_remembered_side_by_side(write: Write, parsed: list[str]) -> None:
    project = write({"manifests/a.yaml": BOX})
    for context in ("local", "production", "local", "production"):
        declare(project, context)
    assert len(parsed) == 2


def test_another_version_of_envsync_asks_again(
    write: Write, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = write({"manifests/a.yaml": BOX})
    declare(project, "local")
    monkeypatch.setattr(caching, "__version__", "99")
    declare(project, "local")
    assert len(parsed) == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"manifests", b"manifestz"),
        lambda data: b"\x00" * len(data),
        lambda data: b"[]\n[]",
    ],
)
def test_a_damaged_cache_is_no_cache(
    write: Write, parsed: list[str], root: Path, damage: Callable[[bytes], bytes]
) -> None:
    project = write({"manifests/a.yaml": BOX})
    first = declare(project, "local")
    path = cache_path(root)
    path.write_bytes(damage(path.read_bytes()))
    assert declare(project, "local") == first
    assert declare(project, "local") == first
    assert len(parsed) == 2


def test_a_cache_of_another_shape_is_no_cache(write: Write, root: Path) -> None:
    from hashlib import sha256

    import orjson

    project = write({"manifests/a.yaml": BOX})
    first = declare(project, "local")
    for shape in (
        [],
        {"format": 1},
        {"format": 2, "looked_at": 0, "blobs": {}, "objects": {}},
        {"format": 1, "looked_at": "x", "blobs": {}, "objects": {}},
        {"format": 1, "looked_at": 2**62, "blobs": {"manifests/a.yaml": [1]}, "objects": {}},
        {"format": 1, "looked_at": 1, "blobs": [], "objects": 7},
    ):
        data = orjson.dumps(shape)
        cache_path(root).write_bytes(sha256(data).hexdigest().encode() + b"\n" + data)
        assert declare(project, "local") == first


def test_where_no_cache_can_be_written_nothing_is_said(write: Write, cache_folder: Path) -> None:
    cache_folder.write_text("a file in the way")
    project = write({"manifests/a.yaml": BOX})
    assert declare(project, "local") == declare(project, "local", cache=False)


def test_nothing_but_the_cache_is_written(write: Write, root: Path, cache_folder: Path) -> None:
    project = write({"manifests/a.yaml": BOX})
    before = sorted(path.name for path in root.rglob("*"))
    declare(project, "local")
    assert sorted(path.name for path in root.rglob("*")) == before
    assert [path.suffix for path in cache_folder.rglob("*") if path.is_file()] == [".json"]
    declare(write({}), "local", cache=False)


def test_two_writers_leave_a_whole_cache(write: Write, root: Path) -> None:
    project = write({f"manifests/{name}.yaml": BOX for name in "abcdef"})
    expected = declare(project, "local", cache=False)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: declare(project, "local"), range(16)))
    assert all(one == expected for one in found)
    leftovers = [path.name for path in cache_path(root).parent.iterdir()]
    assert leftovers == [cache_path(root).name]


NAMES = ("a", "b", "c")
# All of one size, so that often only the content tells a change.
BODIES = tuple(
    f"{body} #".ljust(60, "-") + "\n"
    for body in (
        "kind: pod",
        "kind: xxx",
        "resources: {memory: 2GiB}",
        "resources: {memory: 4GiB}",
        "name: c",
        "setup: [{command: apt-get install x}]",
        "setup: [{command: apt-get install -y}]",
        "\tbroken",
    )
)


def changed(path: Path) -> int:
    return path.stat().st_ctime_ns if path.exists() else 0


def test_with_a_memory_what_did_not_change_is_neither_read_nor_parsed(
    write: Write,
    read: list[str],
    parsed: list[str],
    later: Callable[[int], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project = write({"manifests/a.yaml": BOX, "manifests/b.yaml": BOX})
    memory = Memory()
    later(60)
    before = declare(project, "local", memory=memory)
    opened: list[Path] = []
    monkeypatch.setattr(look, "open_cache", lambda root, *rest: opened.append(root))
    read.clear()
    parsed.clear()
    later(120)
    assert declare(project, "local", memory=memory) == before
    assert (read, parsed, opened) == ([], [], [])
    (project.root / "manifests" / "b.yaml").write_text(BOX.replace("2GiB", "4GiB"))
    after = declare(project, "local", memory=memory)
    assert (read, parsed, opened) == (["manifests/b.yaml"], ["manifests/b.yaml"], [])
    assert [each.hash for each in after.declared] != [each.hash for each in before.declared]


class RandomEdits(RuleBasedStateMachine):
    """Whatever is done to the files: with the cache and without it, one answer."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name) / "repository"
        (self.root / "manifests").mkdir(parents=True)
        (self.root / "envsync.yaml").write_text(
            "project: p\ncontexts:\n  local: {server: embedded}\n"
            "  away: {server: https://runtime.example, key: env:KEY}\ndefault_context: local\n"
        )
        self.past = LONG_AGO
        self.memories = {"local": Memory(), "away": Memory()}

        # The cache believes every stamp, as it does for files that were left alone for a while.
        self.clock = patch.object(look, "time_ns", lambda: time.time_ns() + 60_000_000_000)
        self.clock.start()

    def teardown(self) -> None:
        self.clock.stop()
        self.folder.cleanup()

    def settle(self, path: Path, before: int) -> None:
        """Waits for the file system's clock to have moved on since ``before``."""
        stamp = path.stat()
        while path.stat().st_ctime_ns <= before:
            os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))

    def write(self, path: Path, body: str, *, old: bool) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        before = changed(path)
        path.write_text(body)
        if old:
            self.past += 1
            os.utime(path, ns=(self.past, self.past))
        self.settle(path, before)

    def manifest(self, name: str) -> Path:
        return self.root / "manifests" / f"{name}.yaml"

    @rule(name=st.sampled_from(NAMES), body=st.sampled_from(BODIES), old=st.booleans())
    def edit(self, name: str, body: str, old: bool) -> None:
        self.write(self.manifest(name), body, old=old)

    @rule(name=st.sampled_from(NAMES), body=st.sampled_from(BODIES))
    def edit_and_keep_the_mtime(self, name: str, body: str) -> None:
        path = self.manifest(name)
        stamp = path.stat().st_mtime_ns if path.exists() else LONG_AGO
        before = changed(path)
        path.write_text(body)
        os.utime(path, ns=(stamp, stamp))
        self.settle(path, before)

    @rule(name=st.sampled_from(NAMES))
    def touch(self, name: str) -> None:
        if self.manifest(name).exists():
            os.utime(self.manifest(name))

    @rule(first=st.sampled_from(NAMES), second=st.sampled_from(NAMES))
    def rename(self, first: str, second: str) -> None:
        if self.manifest(first).exists():
            self.manifest(first).replace(self.manifest(second))

    @rule(first=st.sampled_from(NAMES), second=st.sampled_from(NAMES))
    def swap(self, first: str, second: str) -> None:
        one, other = self.manifest(first), self.manifest(second)
        if first != second and one.exists() and other.exists():
            aside = self.root / "aside"
            one.replace(aside)
            other.replace(one)
            aside.replace(other)

    @rule(name=st.sampled_from(NAMES))
    def remove(self, name: str) -> None:
        self.manifest(name).unlink(missing_ok=True)

    @rule(
        name=st.sampled_from(NAMES),
        context=st.sampled_from(["local", "away"]),
        body=st.sampled_from(BODIES),
    )
    def overlay(self, name: str, context: str, body: str) -> None:
        path = self.root / "overlays" / context / "manifests" / f"{name}.yaml"
        self.write(path, body, old=True)

    @rule(name=st.sampled_from(NAMES), context=st.sampled_from(["local", "away"]))
    def remove_overlay(self, name: str, context: str) -> None:
        path = self.root / "overlays" / context / "manifests" / f"{name}.yaml"
        path.unlink(missing_ok=True)

    @rule(policy=st.sampled_from(["{}", '{"required": ["storage"]}', "nonsense"]))
    def policy(self, policy: str) -> None:
        self.write(self.root / "policies" / "p.schema.json", policy, old=True)

    @rule()
    def another_config(self) -> None:
        path = self.root / "envsync.yaml"
        path.write_text(path.read_text() + "# edited\n")

    @invariant()
    def the_cache_changes_nothing(self) -> None:
        project = load(self.root)
        for context in ("local", "away"):
            plain = declare(project, context, cache=False, lint=lint)
            assert declare(project, context, lint=lint) == plain
            assert declare(project, context, lint=lint) == plain
            memory = self.memories[context]
            assert declare(project, context, lint=lint, memory=memory) == plain
            assert declare(project, context, lint=lint, memory=memory) == plain


TestRandomEdits = RandomEdits.TestCase
TestRandomEdits.settings = settings(
    max_examples=25,
    stateful_step_count=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
