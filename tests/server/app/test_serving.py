"""The server as a process: its start, its keys, TLS, its log, and its end."""

from __future__ import annotations

import datetime as dt
import http.client
import ipaddress
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from envsync.errors import UsageError
from envsync.server.events import FirstKey
from envsync.server.serve import serve
from envsync.server.settings import ServeSettings


def ask(server, path="/health", key=None, *, context=None, method="GET", body=None, host=None):
    kind = http.client.HTTPSConnection if context else http.client.HTTPConnection
    more = {"context": context} if context else {}
    connection = kind(host or "127.0.0.1", server.port, timeout=20, **more)
    headers = {"Nylorun-Protocol": "14", "Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


class TestStart:
    def test_a_free_port_is_announced_in_one_line(self, start_server, tmp_path):
        ready = tmp_path / "ready.json"
        with start_server("--ready-file", str(ready)) as server:
            assert server.address == f"http://127.0.0.1:{server.port}"
            assert json.loads(ready.read_text()) == {
                "address": server.address,
                "pid": server.process.pid,
            }
            assert ask(server)[1]["pid"] == server.process.pid
            server.stop()
            assert not ready.exists()

    def test_the_first_key_is_shown_once(self, start_server):
        with start_server() as server:
            first, listening = server.events
            assert (first["event"], first["id"]) == ("first-key", "first")
            assert listening["event"] == "listening"
            assert ask(server, "/v1/me", first["key"])[1]["via"] == "application:first"
            assert first["key"] not in server.log.read_text()
        with start_server() as server:
            assert [event["event"] for event in server.events] == ["listening"]
            assert ask(server, "/v1/me", first["key"])[0] == 200

    def test_the_first_key_comes_from_a_file(self, start_server, tmp_path):
        path = tmp_path / "key"
        path.write_text("ab" * 32 + "\n")
        with start_server("--key-file", str(path)) as server:
            assert [event["event"] for event in server.events] == ["listening"]
            assert ask(server, "/v1/me", "ab" * 32)[0] == 200
            server.stop()
            assert "ab" * 32 not in server.log.read_text() + server.process.stdout.read()

    def test_a_key_does_not_show(self):
        assert "secret" not in repr(FirstKey("first", "secret"))

    def test_the_host_id_lasts_as_long_as_the_database(self, start_server, tmp_path):
        ids = []
        for name in ("a.db", "a.db", "b.db"):
            with start_server(database=tmp_path / name) as server:
                ids.append(ask(server)[1]["hostId"])
        assert ids[0] == ids[1] != ids[2]

    def test_two_servers_share_one_database(
        self, start_server, tmp_path, prepare_database, key_texts
    ):
        database = tmp_path / "server.db"
        prepare_database(database)
        key = key_texts["application"]
        path = "/v1/environment-manifests/one"
        with start_server(database=database) as one, start_server(database=database) as two:
            assert ask(one, path, key, method="PUT", body="{}")[1]["version"] == 1
            assert ask(two, path, key)[1]["version"] == 1
            body = '{"kind": "none"}'
            assert ask(two, path, key, method="PUT", body=body)[1]["version"] == 2
            assert ask(one, path, key)[1]["version"] == 2

    def test_an_issuer_s_token_is_believed(self, start_server, tmp_path, issuer):
        pem = issuer.key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        entry = {
            "name": "sso",
            "issuer": "https://sso.example",
            "audience": "https://runtime.example",
            "keys": [pem.decode()],
        }
        path = tmp_path / "identity.yaml"
        path.write_text(json.dumps({"issuers": [entry]}))
        url = "https://runtime.example/api"
        with start_server("--identity-file", str(path), "--public-url", url) as server:
            token = issuer.token(scope="sessions:own", exp=4_000_000_000, iat=None)
            assert ask(server, "/v1/me", token)[1]["via"] == "issuer:sso"
            status, body = ask(server, "/.well-known/oauth-protected-resource/api")
            assert (status, body["resource"]) == (200, url)
            assert body["authorization_servers"] == ["https://sso.example"]


class TestRefusedSettings:
    def fault(self, tmp_path, **settings):
        with pytest.raises(UsageError) as caught:
            serve(ServeSettings(str(tmp_path / "x.db"), port=0, **settings))
        assert not (tmp_path / "x.db").exists()
        return caught.value.code, caught.value.message

    def test_beyond_loopback_without_tls(self, tmp_path):
        for host in ("0.0.0.0", "::", "runtime.example", "192.0.2.1"):
            assert self.fault(tmp_path, host=host) == (
                "E750",
                f"{host} is reached from other machines, and no certificate is given",
            )

    def test_half_a_certificate(self, tmp_path):
        message = "a certificate and its private key are given together"
        assert self.fault(tmp_path, certificate=tmp_path / "c") == ("E751", message)
        assert self.fault(tmp_path, private_key=tmp_path / "k") == ("E751", message)

    def test_a_certificate_that_is_none(self, tmp_path):
        path = tmp_path / "c.pem"
        path.write_text("x")
        assert self.fault(tmp_path, certificate=path, private_key=path)[0] == "E751"
        absent = tmp_path / "absent"
        code, message = self.fault(tmp_path, certificate=absent, private_key=absent)
        assert (code, message.endswith("No such file or directory")) == ("E751", True)

    @pytest.mark.parametrize("text", ["", "x", "A" * 64, "a" * 63, "é"])
    def test_a_key_file_without_a_key(self, tmp_path, text):
        path = tmp_path / "key"
        path.write_text(text, "utf-8")
        code, message = self.fault(tmp_path, key_file=path)
        assert (code, "a" * 63 in message) == ("E753", False)
        assert self.fault(tmp_path, key_file=tmp_path / "absent")[0] == "E753"

    def test_an_identity_file(self, tmp_path):
        assert self.fault(tmp_path, identity_file=tmp_path / "absent")[0] == "E752"

    def test_an_access_log(self, tmp_path):
        assert self.fault(tmp_path, access_log=str(tmp_path / "no" / "log"))[0] == "E754"

    def test_a_port_that_is_taken(self, tmp_path):
        with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(UsageError) as caught:
            serve(ServeSettings(str(tmp_path / "x.db"), port=taken.getsockname()[1]))
        assert caught.value.code == "E755"
        assert "Address already in use" in caught.value.message

    def test_the_command_says_so_and_ends(self, tmp_path):
        command = [sys.executable, "-m", "envsync.server", "--database", tmp_path / "x.db"]
        ended = subprocess.run(
            [*command, "--host", "0.0.0.0"], capture_output=True, text=True, check=False
        )
        assert (ended.returncode, ended.stdout) == (64, "")
        assert ended.stderr.startswith("error[E750]: 0.0.0.0 is reached from other machines")
        assert "Traceback" not in ended.stderr

    @pytest.mark.skipif(os.name == "nt", reason="a folder is no file anywhere but there")
    def test_a_database_that_cannot_be_opened(self, tmp_path):
        command = [sys.executable, "-m", "envsync.server", "--database", tmp_path, "--port", "0"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stdout) == (1, "")
        assert ended.stderr.startswith("error[E7")
        assert "Traceback" not in ended.stderr


def authority():
    """A certificate authority, and a certificate it gave for this machine."""
    now = dt.datetime.now(dt.UTC)

    def certificate(name, key, issuer, issuer_key, *extensions):
        builder = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
            .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(hours=1))
            .not_valid_after(now + dt.timedelta(hours=1))
        )
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(issuer_key, hashes.SHA256())

    root_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    root = certificate(
        "test root",
        root_key,
        "test root",
        root_key,
        (x509.BasicConstraints(ca=True, path_length=None), True),
        (x509.SubjectKeyIdentifier.from_public_key(root_key.public_key()), False),
        (
            x509.KeyUsage(False, False, False, False, False, True, True, False, False),
            True,
        ),
    )
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    leaf = certificate(
        "server",
        key,
        "test root",
        root_key,
        (x509.SubjectAlternativeName([x509.DNSName("localhost"), address]), False),
        (x509.AuthorityKeyIdentifier.from_issuer_public_key(root_key.public_key()), False),
    )
    return root, leaf, key


class TestTls:
    @pytest.fixture
    def files(self, tmp_path):
        root, leaf, key = authority()
        pem = serialization.Encoding.PEM
        made = {
            "root": root.public_bytes(pem),
            "cert": leaf.public_bytes(pem),
            "key": key.private_bytes(
                pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            ),
            "locked": key.private_bytes(
                pem,
                serialization.PrivateFormat.PKCS8,
                serialization.BestAvailableEncryption(b"password"),
            ),
        }
        for name, data in made.items():
            (tmp_path / f"{name}.pem").write_bytes(data)
        return {name: tmp_path / f"{name}.pem" for name in made}

    def test_https_beyond_loopback(self, start_server, files):
        arguments = ("--tls-cert", str(files["cert"]), "--tls-key", str(files["key"]))
        with start_server(*arguments, "--host", "0.0.0.0") as server:
            assert server.address.startswith("https://0.0.0.0:")
            context = ssl.create_default_context(cafile=files["root"])
            key = server.events[0]["key"]
            assert ask(server, "/v1/me", key, context=context)[0] == 200
            with pytest.raises(ssl.SSLCertVerificationError):
                ask(server, context=ssl.create_default_context())
            old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            old.load_verify_locations(files["root"])
            old.minimum_version = ssl.TLSVersion.TLSv1_2
            old.maximum_version = ssl.TLSVersion.TLSv1_2
            assert ask(server, context=old)[0] == 200
            # One who speaks no TLS gets no answer, and hurts nobody.
            with pytest.raises((http.client.HTTPException, OSError)):
                ask(server)
            assert ask(server, context=context)[0] == 200
            assert server.stop() == 0

    def test_a_key_with_a_password_is_an_error_and_no_prompt(self, tmp_path, files):
        settings = ServeSettings(
            str(tmp_path / "x.db"), certificate=files["cert"], private_key=files["locked"]
        )
        with pytest.raises(UsageError) as caught:
            serve(settings)
        assert caught.value.code == "E751"

    def test_a_proxy_may_end_tls(self, start_server):
        with start_server("--behind-proxy", "--host", "0.0.0.0") as server:
            assert ask(server)[0] == 200


class TestStop:
    @pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
    def test_an_idle_server_ends_at_once(self, start_server, how):
        with (
            start_server("--stop-seconds", "600") as server,
            socket.create_connection(("127.0.0.1", server.port)) as idle,
        ):
            idle.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
            assert idle.recv(65536)
            assert server.stop(how) == 0
            assert json.loads(server.process.stdout.read()) == {"event": "stopping", "seconds": 600}

    def in_flight(self, server, key):
        """A request that has been read as far as its body, of which the last byte is missing."""
        it = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        it.sendall(
            b"PUT /v1/environment-manifests/late HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
            b"Content-Type: application/json\r\nNylorun-Protocol: 14\r\nExpect: 100-continue\r\n"
            b"Authorization: Bearer " + key.encode() + b"\r\n\r\n"
        )
        # The server asks for the body only when it is reading it.
        assert it.recv(100).startswith(b"HTTP/1.1 100 Continue")
        it.sendall(b"{")
        return it

    def test_what_is_in_flight_is_finished(self, start_server, tmp_path):
        with start_server("--stop-seconds", "20") as server:
            key = server.events[0]["key"]
            with self.in_flight(server, key) as it:
                server.process.send_signal(signal.SIGTERM)
                assert json.loads(server.process.stdout.readline())["event"] == "stopping"
                it.sendall(b"}")
                answer = it.recv(65536)
            assert answer.startswith(b"HTTP/1.1 200 OK")
            assert server.process.wait(20) == 0
        with start_server() as server:
            assert ask(server, "/v1/environment-manifests/late", key)[1]["version"] == 1

    def test_nobody_is_waited_for_longer_than_told(self, start_server):
        with start_server("--stop-seconds", "1") as server:
            with self.in_flight(server, server.events[0]["key"]) as it:
                assert server.stop() == 0
                answer = it.recv(65536)
            assert answer.startswith(b"HTTP/1.1 503 ")
            assert b"read before you try again" in answer
            assert "Traceback" not in server.log.read_text()

    def test_a_second_signal_does_not_wait(self, start_server):
        with (
            start_server("--stop-seconds", "600") as server,
            self.in_flight(server, server.events[0]["key"]),
        ):
            server.process.send_signal(signal.SIGTERM)
            assert json.loads(server.process.stdout.readline())["event"] == "stopping"
            assert server.stop() == 0

    def test_new_connections_are_refused_while_it_stops(self, start_server):
        with start_server("--stop-seconds", "600") as server:
            with self.in_flight(server, server.events[0]["key"]) as it:
                server.process.send_signal(signal.SIGTERM)
                assert json.loads(server.process.stdout.readline())["event"] == "stopping"
                # The listener closes right after it was announced; a connection that still waits
                # in its queue then is reset.
                while True:
                    try:
                        socket.create_connection(("127.0.0.1", server.port)).close()
                    except ConnectionRefusedError:
                        break
                    except ConnectionResetError:
                        continue
                it.sendall(b"}")
                assert it.recv(65536).startswith(b"HTTP/1.1 200 OK")
            assert server.process.wait(20) == 0


class TestLog:
    def test_a_line_a_request_without_secrets(self, start_server, tmp_path):
        log = tmp_path / "access.log"
        with start_server("--access-log", str(log)) as server:
            key = server.events[0]["key"]
            name = "/v1/environment-manifests/one"
            ask(server, f"{name}?dryRun=true&canary=s3cr3t", key, method="PUT", body="{}")
            ask(server, "/v1/canary-s3cr3t", key)
            ask(server, name, "canary-s3cr3t" * 5)
            ask(server, f"{name}/%0acanary-s3cr3t", key)
            server.stop()
        text = log.read_text()
        lines = [json.loads(line) for line in text.splitlines()]
        assert all(line.pop("time").endswith("Z") for line in lines)
        assert all(line.pop("ms") >= 0 for line in lines)
        assert all(line.pop("bytes") > 0 for line in lines)
        common = {"event": "request", "client": "127.0.0.1"}
        route = "/v1/environment-manifests/{}"
        assert lines == [
            common
            | {
                "method": "PUT",
                "route": route,
                "status": 200,
                "caller": "application:first",
                "name": "one",
                "query": ["dryRun"],
            },
            common | {"method": "GET", "route": None, "status": 404},
            common | {"method": "GET", "route": route, "status": 401, "name": "one"},
            common | {"method": "GET", "route": None, "status": 404},
        ]
        for secret in ("canary", "s3cr3t", key):
            assert secret not in text + server.log.read_text()

    def test_a_log_that_cannot_be_written_loses_lines_and_no_requests(self, start_server):
        if not Path("/dev/full").exists():
            return
        with start_server("--access-log", "/dev/full") as server:
            assert ask(server)[0] == 200
            assert ask(server)[0] == 200
