"""What everybody is told: where tokens come from, and the challenges that lead there."""

from __future__ import annotations

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from envsync.errors import EnvsyncError
from envsync.server.auth.fetching import MAX_BYTES, fetch_jwks
from envsync.server.settings import AppSettings

WELL_KNOWN = "/.well-known/oauth-protected-resource"


@pytest.fixture
def open_api(build, issuer):
    return build(AppSettings(issuers=(issuer.config(),)))


class TestProtectedResource:
    def test_without_issuers_there_is_none(self, api):
        for path in (WELL_KNOWN, f"{WELL_KNOWN}/api"):
            reply = api.send("GET", path, bearer=None, protocol=None)
            assert reply.status == 404
            assert reply.json == {
                "status": "rejected",
                "code": "not_found",
                "message": "This server trusts no identity provider",
            }

    def test_with_issuers(self, open_api):
        headers = {"origin": "https://page.example"}
        reply = open_api.send("GET", WELL_KNOWN, headers=headers, bearer=None, protocol=None)
        assert (reply.status, reply.header("cache-control")) == (200, "no-cache")
        assert reply.json == {
            "resource": "http://runtime.example",
            "authorization_servers": ["https://sso.example"],
            "scopes_supported": ["agents:read", "sessions:own", "environments:write"],
            "bearer_methods_supported": ["header"],
            "resource_name": "envsync Runtime API",
        }

    def test_no_other_method(self, open_api):
        assert open_api.send("POST", WELL_KNOWN).status == 404


class TestChallenges:
    def challenge(self, api, path="/v1/me", **more):
        return api.send("GET", path, **more).header("www-authenticate")

    def test_they_lead_to_the_metadata(self, open_api, issuer):
        metadata = f'resource_metadata="http://runtime.example{WELL_KNOWN}"'
        assert self.challenge(open_api, bearer=None) == f"Bearer {metadata}"
        assert self.challenge(open_api, bearer=None, protocol=None) == f"Bearer {metadata}"
        invalid = f'Bearer error="invalid_token", {metadata}'
        assert self.challenge(open_api, bearer="0" * 64) == invalid
        token = issuer.token(iss="https://sso.example", scope="agents:read", exp=4_000_000_000)
        wanted = f'Bearer error="insufficient_scope", scope="sessions:own", {metadata}'
        path = "/v1/environment-manifests"
        assert self.challenge(open_api, path, bearer=token) in (wanted, invalid)

    def test_the_public_address_wins_and_its_path_goes_behind(self, build, issuer):
        settings = AppSettings(
            issuers=(issuer.config(),), public_url="https://public.example/runtime/"
        )
        assert self.challenge(build(settings), bearer=None) == (
            f'Bearer resource_metadata="https://public.example{WELL_KNOWN}/runtime"'
        )

    def test_the_management_api_is_no_oauth_resource(self, open_api):
        assert self.challenge(open_api, "/v1/tenant/keys", bearer=None) == "Bearer"

    @pytest.mark.parametrize("host", ['x" onload="', "x\\", "a b", "", None])
    def test_a_host_header_cannot_write_into_them(self, open_api, host):
        assert self.challenge(open_api, bearer=None, host_name=host) == "Bearer"


class Site(BaseHTTPRequestHandler):
    def do_GET(self):
        status, headers, body = {
            "/keys": (200, {}, b'{"keys": []}'),
            "/moved": (302, {"Location": "/keys"}, b""),
            "/away": (404, {}, b"x"),
            "/large": (200, {}, b" " * (MAX_BYTES + 1)),
        }[self.path]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class TestFetching:
    @pytest.fixture
    def site(self):
        server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
        server.server_close()

    def test_a_key_set(self, site):
        assert asyncio.run(fetch_jwks(f"{site}/keys")) == b'{"keys": []}'

    @pytest.mark.parametrize("path", ["moved", "away", "large"])
    def test_what_is_none(self, site, path):
        with pytest.raises((OSError, EnvsyncError)):
            asyncio.run(fetch_jwks(f"{site}/{path}"))
