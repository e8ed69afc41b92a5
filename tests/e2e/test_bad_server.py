"""Credentials that do not open, servers that are none, and answers that mean harm."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.e2e.conftest import KEY, Repository, Server
from tests.e2e.footprint import footprint, unsafe
from tests.e2e.interposer import Answer, Interposer, Seen
from tests.http.authority import make_authority

BOX = "kind: virtual\nlifecycle: {deleteAfter: 7d}\nsetup:\n  - command: make\n"
REMOTE = """\
format: 1
project: acme
contexts:
  remote:
    server: {server}
    key: {key}
"""


@dataclass
class Told:
    """The one problem that a plan as text and an apply as JSON told alike."""

    code: str
    message: str
    remedy: str
    place: str


@pytest.fixture
def repository(make_repository: Callable[..., Repository]) -> Repository:
    return make_repository({"box": BOX})


def told(repository: Repository, server: str, key: str = "env:NYLORUN_SERVER_KEY") -> Told:
    """What both say; neither touches a file."""
    repository.write("envsync.yaml", REMOTE.format(server=server, key=key))
    repository.commit()
    before = footprint(repository.root)
    text = repository.run("plan")
    done = repository.run("apply", "--yes", "--output", "json")
    assert (text.code, done.code, text.out) == (1, 1, "")
    assert footprint(repository.root) == before
    (problem,) = json.loads(done.out)["problems"]
    assert f"error[{problem['code']}]: " in text.err
    assert problem["remedy"]
    assert KEY not in text.err + done.out + done.err
    at = problem["position"]
    place = f"{at['path']}:{at['line']}:{at['column']}" if at else ""
    return Told(problem["code"], problem["message"], problem["remedy"], place)


def silent(server: Interposer) -> bool:
    return not server.seen


# Credentials.


@pytest.mark.parametrize(
    ("value", "code", "message"),
    [
        ("", "E410", "NYLORUN_SERVER_KEY, which is empty"),
        ("two words", "E411", "blanks"),
        ("line\n", "E411", "line breaks"),
        ("schlüssel", "E411", "outside ASCII"),
    ],
)
def test_a_key_that_cannot_be_one_is_not_sent(
    repository: Repository, value: str, code: str, message: str
) -> None:
    repository.environ = {**repository.environ, "NYLORUN_SERVER_KEY": value}
    with Interposer("http://127.0.0.1:9", lambda seen: Answer(500)) as server:
        said = told(repository, server.address)
        assert (said.code, said.place) == (code, "envsync.yaml:6:10")
        assert message in said.message
        assert silent(server)


def test_a_key_that_is_not_there(repository: Repository) -> None:
    with Interposer("http://127.0.0.1:9", lambda seen: Answer(500)) as server:
        said = told(repository, server.address, "env:NOT_SET_ANYWHERE")
        assert (said.code, said.place) == ("E410", "envsync.yaml:6:10")
        assert "NOT_SET_ANYWHERE, which is not set" in said.message
        assert told(repository, server.address, "file:no.key").code == "E410"
        assert silent(server)


def test_a_key_file_that_others_can_read(repository: Repository, tmp_path: Path) -> None:
    file = tmp_path / "open.key"
    file.write_text(KEY)
    file.chmod(0o644)
    with Interposer("http://127.0.0.1:9", lambda seen: Answer(500)) as server:
        said = told(repository, server.address, f"file:{file}")
        assert (said.code, said.remedy) == ("E412", f"run: chmod 600 {file}")
        assert silent(server)


def test_a_key_that_the_server_does_not_know(
    repository: Repository, start_server: Callable[..., Server]
) -> None:
    repository.environ = {**repository.environ, "NYLORUN_SERVER_KEY": "b" * 64}
    with Interposer(start_server().address) as server:
        said = told(repository, server.address)
        assert said.code == "E635"
        assert "env:NYLORUN_SERVER_KEY" in said.message + said.remedy
        assert not [each for each in server.seen if each.method != "GET"]


# Servers that are none.

HEALTH = {"status": "ok", "version": "0.9.0", "hostId": "h"}


def page(seen: Seen) -> Answer:
    return Answer(200, {"Content-Type": "text/html"}, b"<html>Welcome</html>")


def something_else(seen: Seen) -> Answer:
    return Answer(200, body=b'{"hello": "world"}')


def old(seen: Seen) -> Answer:
    body = {**HEALTH, "protocol": {"min": 8, "max": 10, "features": []}}
    return Answer(200, body=json.dumps(body).encode())


def older_behind_a_newer_health(seen: Seen) -> Answer:
    if seen.target == "/health":
        body = {**HEALTH, "protocol": {"min": 8, "max": 14, "features": []}}
        return Answer(200, body=json.dumps(body).encode())
    refusal = {"status": "rejected", "code": "protocol_unsupported", "message": "old"}
    refusal["protocol"] = {"min": 8, "max": 10}  # type: ignore[assignment]
    return Answer(426, body=json.dumps(refusal).encode())


def elsewhere(seen: Seen) -> Answer:
    return Answer(302, {"Location": "https://login.example/?back"}, b"")


@pytest.mark.parametrize(
    ("rule", "code", "message"),
    [
        (page, "E633", "not a Runtime"),
        (lambda seen: Answer(404), "E633", "not a Runtime"),
        (something_else, "E632", "no list of `manifests`"),
        (old, "E634", "serves protocols 8 to 10"),
        (older_behind_a_newer_health, "E634", "serves protocols 8 to 10"),
        (elsewhere, "E614", "redirects to https://login.example/"),
    ],
)
def test_a_server_that_is_none_gets_nothing(
    repository: Repository, rule: Callable[[Seen], Answer], code: str, message: str
) -> None:
    with Interposer("http://127.0.0.1:9", rule) as server:
        said = told(repository, server.address)
        assert said.code == code
        assert message in said.message
        assert {each.method for each in server.seen} == {"GET"}
        keys = [each for each in server.seen if "authorization" in each.headers]
        assert [each.target for each in keys if each.target == "/health"] == []
        looked = repository.run("doctor")
        assert "everything works" not in looked.out


@contextmanager
def listening(answer: bytes) -> Iterator[str]:
    """A port that says ``answer`` to whatever comes, and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                with client, suppress(OSError):
                    client.recv(65536)
                    client.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        # close() alone does not wake a thread that waits in accept().
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(timeout=20)


def test_a_port_that_does_not_speak_http(repository: Repository) -> None:
    with listening(b"SSH-2.0-Server\r\n\r\n") as address:
        said = told(repository, address)
    assert (said.code, said.remedy) == ("E613", "check the port: another program may listen there")


def test_a_port_where_nobody_listens(repository: Repository) -> None:
    said = told(repository, "http://127.0.0.1:1")
    assert (said.code, said.remedy) == ("E604", "check the address, and whether the server runs")


def test_a_certificate_of_a_stranger_and_the_same_once_trusted(
    repository: Repository, start_server: Callable[..., Server], tmp_path: Path
) -> None:
    authority = make_authority(tmp_path)
    authority.server_context("127.0.0.1")
    (pem,) = tmp_path.glob("server-*.pem")
    server = start_server(tmp_path / "tls.db", "--tls-cert", str(pem), "--tls-key", str(pem))
    assert server.address.startswith("https://")
    said = told(repository, server.address)
    assert said.code == "E608"
    assert "acme test authority" in said.message
    assert "ca_bundle" in said.remedy
    said = told(repository, server.address.replace("https:", "http:"))
    assert (said.code, said.remedy) == ("E610", f"write {server.address}")
    trusting = REMOTE.format(server=server.address, key="env:NYLORUN_SERVER_KEY")
    repository.write("envsync.yaml", f"{trusting}    ca_bundle: {authority.bundle}\n")
    repository.commit()
    done = repository.run("apply", "--yes")
    assert done.code == 0, done.err
    repository.write("envsync.yaml", f"{trusting}    ca_bundle: nowhere.pem\n")
    assert "error[E617]" in repository.run("plan").err


# Answers that mean harm.

EVIL = (
    "\x1b[2J\x1b]0;pwned\x07\u202eevil\u2066\r\nerror[E000]: fake\x9b`|<b>@all #1 ```" + "y" * 9000
)


@dataclass
class Malice:
    """A Runtime whose every text tries to take the terminal over."""

    errors: list[object] = field(default_factory=list)

    def __call__(self, seen: Seen) -> Answer:
        status, said = self.said(seen)
        return Answer(status, body=json.dumps(said).encode())

    def said(self, seen: Seen) -> tuple[int, object]:
        target, notice = seen.target, {"code": EVIL, "message": EVIL, "path": EVIL}
        if target == "/health":
            protocol = {"min": 14, "max": 14, "features": [EVIL]}
            return 200, {"status": EVIL, "version": EVIL, "hostId": EVIL, "protocol": protocol}
        if target == "/v1/me":
            return 200, {"via": EVIL, "subject": EVIL, "scopes": [EVIL]}
        if seen.writes:
            return 400, {"status": "rejected", "code": EVIL, "message": EVIL, "details": EVIL}
        if seen.method == "PUT":
            plan = {"dryRun": True, "name": "box", "currentVersion": 3, "nextVersion": 4}
            environments = {"total": 2, "onOlderVersions": 1}
            more = {"errors": self.errors, "warnings": [notice], "environments": environments}
            return 200, {**plan, "unchanged": False, "changes": [], **more}
        if target.endswith("/versions"):
            return 200, {"name": "box", "versions": [self.view("box")]}
        if "/box" in target:
            return 200, self.view("box")
        return 200, {"manifests": [self.view("box"), self.view(EVIL)]}

    def view(self, name: str) -> dict[str, object]:
        body = {"setup": [{"command": EVIL}], "harness": EVIL, EVIL: 1}
        made = {"name": name, "version": 3, "hash": EVIL, "kind": "virtual", "manifest": body}
        return {**made, "savedAt": EVIL, "savedBy": EVIL, "environments": 2}


def test_hostile_answers_are_shown_escaped(repository: Repository) -> None:
    malice = Malice()
    with Interposer("http://127.0.0.1:9", malice) as server:
        key = "env:NYLORUN_SERVER_KEY"
        repository.write("envsync.yaml", REMOTE.format(server=server.address, key=key))
        repository.commit()
        for line in (
            "plan",
            "plan --output markdown",
            "plan --output json -o plan.json",
            "status",
            "status --output json",
            "show box",
            "history box",
            "diff box",
            "diff box@3 --output json",
            "apply plan.json",
            "apply --output json",
            "doctor --debug",
        ):
            done = repository.run(*line.split())
            assert unsafe(done.out + done.err) == [], line
            assert "E999" not in done.out + done.err, line
            assert "\nerror[E000]" not in done.out + done.err, line
            if "json" in line and "plan.json" not in line:
                assert json.loads(done.out)
        malice.errors = [{"code": EVIL, "message": EVIL, "path": EVIL}]
        for form in ("text", "markdown", "json"):
            refused = repository.run("plan", "--output", form)
            assert refused.code == 1
            assert unsafe(refused.out + refused.err) == []
    markdown = repository.run("plan", "--output", "markdown")
    assert "<b>" not in markdown.out
