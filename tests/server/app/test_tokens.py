"""Tokens of trusted issuers: what is believed, and what never is."""

from __future__ import annotations

import asyncio
import json

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa

from envsync.server.auth import issuer_keys
from envsync.server.auth.grants import is_grant, is_granted
from envsync.server.auth.jwt import decode, from_jwk, from_pem, read, verifying_key
from envsync.server.refusal import Refusal

RSA = rsa.generate_private_key(65537, 2048)
EC = ec.generate_private_key(ec.SECP256R1())
ED = ed25519.Ed25519PrivateKey.generate()


def caller_of(issuers, token):
    return asyncio.run(issuers.caller_of(token))


def refusal_of(issuers, token):
    with pytest.raises(Refusal) as caught:
        caller_of(issuers, token)
    return caught.value.status, caught.value.code


INVALID = (401, "credential_invalid")


class TestSignatures:
    @pytest.mark.parametrize("key", [RSA, EC, ED], ids=["RS256", "ES256", "EdDSA"])
    def test_three_algorithms(self, issuer, key):
        config = issuer.config(keys=(verifying_key(key.public_key()),))
        caller = caller_of(issuer.trusted(config), issuer.token(key=key))
        assert (caller.subject, caller.via) == ("carol", "issuer:sso")

    def test_any_of_several_keys(self, issuer):
        keys = tuple(verifying_key(key.public_key()) for key in (RSA, EC, ED, issuer.key))
        issuers = issuer.trusted(issuer.config(keys=keys))
        assert caller_of(issuers, issuer.token()).subject == "carol"

    def test_another_key(self, issuer):
        stranger = ed25519.Ed25519PrivateKey.generate()
        assert refusal_of(issuer.trusted(), issuer.token(key=stranger)) == INVALID

    def test_a_changed_payload(self, issuer):
        header, _, signature = issuer.token().split(".")
        payload = issuer.token(sub="mallory").split(".")[1]
        assert refusal_of(issuer.trusted(), f"{header}.{payload}.{signature}") == INVALID

    def test_the_key_decides_the_algorithm(self, issuer):
        config = issuer.config(keys=(verifying_key(RSA.public_key()),))
        for algorithm in ("none", "HS256", "RS512", "PS256", "ES256", "EdDSA", "rs256", None, 1):
            token = issuer.token({"alg": algorithm}, key=RSA)
            assert refusal_of(issuer.trusted(config), token) == INVALID

    def test_no_signature(self, issuer):
        header, payload, _ = issuer.token().split(".")
        assert refusal_of(issuer.trusted(), f"{header}.{payload}.") == INVALID

    @pytest.mark.parametrize("name", ["jku", "jwk", "x5u", "x5c", "crit"])
    def test_headers_that_could_bring_a_key(self, issuer, name):
        assert refusal_of(issuer.trusted(), issuer.token({name: "x"})) == INVALID

    def test_other_headers_do_no_harm(self, issuer):
        token = issuer.token({"typ": "at+jwt", "kid": "any"})
        assert caller_of(issuer.trusted(), token).subject == "carol"
        assert refusal_of(issuer.trusted(), issuer.token({"kid": 7})) == INVALID

    def test_16_kib_and_not_a_byte_more(self, issuer):
        longest = next(
            token
            for pad in range(11_900, 12_300)
            if len(token := issuer.token(pad="x" * pad)) > 16 * 1024 - 3
        )
        assert len(longest) <= 16 * 1024
        assert caller_of(issuer.trusted(), longest).subject == "carol"
        assert refusal_of(issuer.trusted(), issuer.token(pad="x" * 12_300)) == INVALID

    @pytest.mark.parametrize(
        "text", ["a.b", "a.b.c.d", "..", "e30.e30.", "W10.W10.", "e30.bnVsbA.x", "é.e30.x"]
    )
    def test_text_that_is_no_token(self, issuer, text):
        assert refusal_of(issuer.trusted(), text) == INVALID

    def test_one_spelling_of_base64(self):
        assert decode("AQ") == b"\x01"
        for text in ("AR", "AQ==", "A", "A+", "A/", "AQ\n"):
            with pytest.raises(ValueError, match="base64url"):
                decode(text)

    def test_signature_sizes_of_es256(self, issuer):
        config = issuer.config(keys=(verifying_key(EC.public_key()),))
        signed, _, signature = issuer.token(key=EC).rpartition(".")
        for changed in (signature[:-4], signature + "AAAA", ""):
            assert refusal_of(issuer.trusted(config), f"{signed}.{changed}") == INVALID


class TestClaims:
    @pytest.mark.parametrize("aud", ["https://runtime.example", ["x", "https://runtime.example"]])
    def test_audiences(self, issuer, aud):
        assert caller_of(issuer.trusted(), issuer.token(aud=aud)).subject == "carol"

    @pytest.mark.parametrize(
        "changed",
        [
            {"iss": "https://sso.example/"},
            {"iss": None},
            {"iss": ["https://sso.example"]},
            {"aud": None},
            {"aud": "https://runtime.example/"},
            {"aud": ["x"]},
            {"aud": {"https://runtime.example": 1}},
            {"exp": None},
            {"exp": "1900000000"},
            {"exp": True},
            {"iat": "now"},
            {"sub": None},
            {"sub": ""},
            {"sub": True},
            {"sub": ["carol"]},
            {"sub": "host"},
            {"sub": "installation"},
            {"sub": "x" * 201},
            {"sub": "caf\u00e9"},
            {"sub": " carol"},
        ],
    )
    def test_what_is_refused(self, issuer, changed):
        assert refusal_of(issuer.trusted(), issuer.token(**changed)) == INVALID

    def test_thirty_seconds_of_skew(self, issuer):
        issuers, now = issuer.trusted(), issuer.now
        assert caller_of(issuers, issuer.token(exp=now - 29)).subject == "carol"
        assert refusal_of(issuers, issuer.token(exp=now - 30)) == (401, "token_expired")
        assert caller_of(issuers, issuer.token(iat=now + 30)).subject == "carol"
        assert refusal_of(issuers, issuer.token(iat=now + 31)) == INVALID
        assert caller_of(issuers, issuer.token(nbf=now + 30)).subject == "carol"
        assert refusal_of(issuers, issuer.token(nbf=now + 31)) == INVALID
        assert caller_of(issuers, issuer.token(iat=None)).subject == "carol"

    def test_an_expiry_is_told_of_signed_tokens_only(self, issuer):
        stranger = ed25519.Ed25519PrivateKey.generate()
        assert refusal_of(issuer.trusted(), issuer.token(key=stranger, exp=1)) == INVALID

    def test_numbers_are_subjects(self, issuer):
        assert caller_of(issuer.trusted(), issuer.token(sub=1001)).subject == "1001"
        assert caller_of(issuer.trusted(), issuer.token(sub=3.0)).subject == "3"

    def test_subject_templates(self, issuer):
        issuers = issuer.trusted(issuer.config(subject="{org}:{sub}"))
        assert caller_of(issuers, issuer.token(org="acme")).subject == "acme:carol"
        assert refusal_of(issuers, issuer.token()) == INVALID

    def test_two_issuers_do_not_speak_for_each_other(self, issuer):
        other = issuer.config(
            name="other",
            issuer="https://other.example",
            keys=(verifying_key(ED.public_key()),),
        )
        issuers = issuer.trusted(issuer.config(), other)
        assert caller_of(issuers, issuer.token(key=ED, iss="https://other.example")).id == "other"
        assert refusal_of(issuers, issuer.token(key=ED)) == INVALID
        assert refusal_of(issuers, issuer.token(iss="https://other.example")) == INVALID


class TestScopes:
    @pytest.mark.parametrize(
        ("claim", "held"),
        [
            ("sessions:own environments:write", {"sessions:own", "environments:write"}),
            (["sessions:own", 7], {"sessions:own"}),
            ("agents:write admin", set()),
            (None, set()),
            ({"sessions:own": True}, set()),
            (7, set()),
        ],
    )
    def test_a_claim_names_them(self, issuer, claim, held):
        assert caller_of(issuer.trusted(), issuer.token(scope=claim)).scopes == held

    def test_the_issuer_may_give_only_what_the_file_allows(self, issuer):
        issuers = issuer.trusted(issuer.config(allowed_scopes=("sessions:own",), scope_claim="scp"))
        token = issuer.token(scp=["sessions:own", "environments:write", "studio"])
        assert caller_of(issuers, token).scopes == {"sessions:own"}

    def test_fixed_ones(self, issuer):
        config = issuer.config(scope_claim="", fixed_scopes=("sessions:own",))
        token = issuer.token(scope="environments:write")
        assert caller_of(issuer.trusted(config), token).scopes == {"sessions:own"}


class TestGrants:
    def test_templates(self, issuer):
        token = issuer.token(team="red.one")
        assert caller_of(issuer.trusted(), token).environments == (
            "users/carol/*",
            "teams/red.one",
        )

    @pytest.mark.parametrize(
        "team", [None, "", "a/b", "*", "..", ".x", "-x", "a b", "caf\u00e9", True, ["x"], {"x": 1}]
    )
    def test_a_claim_can_never_widen_one(self, issuer, team):
        caller = caller_of(issuer.trusted(), issuer.token(team=team))
        assert caller.environments == ("users/carol/*",)

    def test_absent_agents_are_all_and_absent_environments_none(self, issuer):
        issuers = issuer.trusted(issuer.config(agents=None, environments=()))
        described = caller_of(issuers, issuer.token()).described()
        assert (described["agents"], described["environments"]) == ("*", [])
        none = issuer.trusted(issuer.config(agents=()))
        assert caller_of(none, issuer.token()).described()["agents"] == []

    @pytest.mark.parametrize(
        ("text", "is_one"),
        [
            ("a", True),
            ("a/b", True),
            ("a/*", True),
            ("a/b/*", True),
            ("*", False),
            ("/*", False),
            ("a*", False),
            ("a/*/b", False),
            ("", False),
            ("a//*", False),
        ],
    )
    def test_grammar(self, text, is_one):
        assert is_grant(text) is is_one

    @pytest.mark.parametrize(
        ("environment", "reached"),
        [
            ("p/a", True),
            ("p/a/b", True),
            ("p", False),
            ("px/a", False),
            ("q", True),
            ("q/a", False),
        ],
    )
    def test_reach(self, environment, reached):
        assert is_granted(environment, ("p/*", "q")) is reached
        assert not is_granted(environment, ())


class KeySet:
    """An issuer's key set at an address: counts the reads, and fails when told to."""

    def __init__(self, *keys):
        self.document = {"keys": list(keys)}
        self.reads = 0
        self.fails = False
        self.wait = None

    async def __call__(self, address):
        self.reads += 1
        if self.wait is not None:
            await self.wait.wait()
        if self.fails:
            raise OSError("away")
        return json.dumps(self.document).encode()


def jwk(key, **more):
    public = key.public_key()
    numbers = getattr(public, "public_numbers", lambda: None)()

    def text(number):
        data = number.to_bytes((number.bit_length() + 7) // 8, "big")
        return encoded(data)

    if isinstance(key, rsa.RSAPrivateKey):
        body = {"kty": "RSA", "n": text(numbers.n), "e": text(numbers.e)}
    elif isinstance(key, ec.EllipticCurvePrivateKey):
        body = {"kty": "EC", "crv": "P-256"}
        body |= {name: encoded(getattr(numbers, name).to_bytes(32, "big")) for name in ("x", "y")}
    else:
        body = {"kty": "OKP", "crv": "Ed25519", "x": encoded(public.public_bytes_raw())}
    return {**body, **more}


def encoded(data):
    from base64 import urlsafe_b64encode

    return urlsafe_b64encode(data).rstrip(b"=").decode()


class TestKeySets:
    @pytest.fixture
    def run(self):
        with asyncio.Runner() as runner:
            yield runner.run

    @pytest.fixture
    def clock(self):
        return [0.0]

    @pytest.fixture
    def build(self, issuer, clock):
        def make(key_set):
            config = issuer.config(keys=(), jwks="https://sso.example/keys")
            return issuer.trusted(config, fetch=key_set, clock=lambda: clock[0])

        return make

    @pytest.mark.parametrize("key", [RSA, EC, ED], ids=["RS256", "ES256", "EdDSA"])
    def test_each_kind_of_key(self, issuer, build, run, key):
        issuers = build(KeySet(jwk(key, kid="1", use="sig")))
        token = issuer.token({"kid": "1"}, key=key)
        assert run(issuers.caller_of(token)).subject == "carol"

    def test_read_once_and_kept(self, issuer, build, run):
        key_set = KeySet(jwk(ED, kid="1"))
        issuers = build(key_set)
        for _ in range(3):
            run(issuers.caller_of(issuer.token({"kid": "1"}, key=ED)))
        assert key_set.reads == 1

    def test_an_unknown_kid_is_looked_for_once_a_minute(self, issuer, build, run, clock):
        key_set = KeySet(jwk(ED, kid="1"))
        issuers = build(key_set)
        fresh = ed25519.Ed25519PrivateKey.generate()
        token = issuer.token({"kid": "2"}, key=fresh)
        for _ in range(5):
            with pytest.raises(Refusal) as caught:
                run(issuers.caller_of(token))
            assert caught.value.code == "credential_invalid"
        assert key_set.reads == 1
        key_set.document["keys"].append(jwk(fresh, kid="2"))
        clock[0] = 59.9
        with pytest.raises(Refusal):
            run(issuers.caller_of(token))
        clock[0] = 60.0
        assert run(issuers.caller_of(token)).subject == "carol"
        assert key_set.reads == 2

    def test_a_kid_means_that_key_alone(self, issuer, build, run):
        issuers = build(KeySet(jwk(ED, kid="1"), jwk(issuer.key, kid="2")))
        with pytest.raises(Refusal):
            run(issuers.caller_of(issuer.token({"kid": "1"})))
        assert run(issuers.caller_of(issuer.token())).subject == "carol"

    def test_keys_that_cannot_be_fetched(self, issuer, build, run, clock):
        key_set = KeySet(jwk(ED, kid="1"))
        key_set.fails = True
        issuers = build(key_set)
        token = issuer.token({"kid": "1"}, key=ED)
        with pytest.raises(Refusal) as caught:
            run(issuers.caller_of(token))
        refusal = caught.value
        assert (refusal.status, refusal.code) == (401, "issuer_unavailable")
        assert refusal.message == "The keys of issuer sso cannot be fetched now; try again later"
        assert refusal.headers == (("www-authenticate", "Bearer"),)
        key_set.fails = False
        clock[0] = 60.0
        assert run(issuers.caller_of(token)).subject == "carol"

    def test_a_failure_keeps_the_keys_there_are(self, issuer, build, run, clock):
        key_set = KeySet(jwk(ED, kid="1"))
        issuers = build(key_set)
        token = issuer.token({"kid": "1"}, key=ED)
        run(issuers.caller_of(token))
        key_set.fails = True
        clock[0] = 3600.0

        async def twice():
            await issuers.caller_of(token)
            await asyncio.sleep(0)
            return await issuers.caller_of(token)

        assert run(twice()).subject == "carol"
        assert key_set.reads == 2

    def test_old_keys_are_refreshed_behind_the_request(self, issuer, build, run, clock):
        key_set = KeySet(jwk(ED, kid="1"))
        issuers = build(key_set)
        token = issuer.token({"kid": "1"}, key=ED)
        run(issuers.caller_of(token))
        clock[0] = 600.0

        async def while_it_hangs():
            key_set.wait = asyncio.Event()
            caller = await issuers.caller_of(token)
            key_set.wait.set()
            return caller

        assert run(while_it_hangs()).subject == "carol"

    def test_many_callers_share_one_read(self, issuer, build, run):
        key_set = KeySet(jwk(ED, kid="1"))
        issuers = build(key_set)
        token = issuer.token({"kid": "1"}, key=ED)

        async def together():
            key_set.wait = asyncio.Event()
            callers = [asyncio.create_task(issuers.caller_of(token)) for _ in range(20)]
            await asyncio.sleep(0)
            callers[0].cancel()
            key_set.wait.set()
            return await asyncio.gather(*callers[1:])

        assert {caller.subject for caller in run(together())} == {"carol"}
        assert key_set.reads == 1

    @pytest.mark.parametrize(
        "data",
        [b"", b"[]", b"{}", b'{"keys": {}}', b"<html>", b'{"keys": []}'.ljust(256 * 1024 + 1)],
    )
    def test_documents_that_are_no_key_set(self, data):
        with pytest.raises(ValueError, match=r"."):
            issuer_keys.parse_jwks(data)

    def test_no_more_than_64_keys_are_read(self):
        body = {"keys": [jwk(ED, kid=str(number)) for number in range(65)]}
        assert len(issuer_keys.parse_jwks(json.dumps(body).encode())) == 64

    @pytest.mark.parametrize(
        "entry",
        [
            None,
            "x",
            {},
            jwk(ED, use="enc"),
            jwk(ED, alg="RS256"),
            jwk(ED, d="AA"),
            {**jwk(ED), "x": "AA"},
            {**jwk(ED), "crv": "X25519"},
            {**jwk(EC), "crv": "P-384"},
            {**jwk(EC), "y": jwk(EC)["x"]},
            {**jwk(RSA), "e": ""},
            jwk(rsa.generate_private_key(65537, 1024)),
            {"kty": "oct", "k": "AAAA"},
        ],
    )
    def test_entries_that_are_passed_over(self, entry):
        assert from_jwk(entry) is None


class TestPem:
    def pem(self, key):
        return key.public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        ).decode()

    def test_three_kinds(self):
        kinds = [from_pem(self.pem(key.public_key())).algorithm for key in (RSA, EC, ED)]
        assert kinds == ["RS256", "ES256", "EdDSA"]

    @pytest.mark.parametrize(
        ("key", "message"),
        [
            (rsa.generate_private_key(65537, 1024), "at least 2048 bits"),
            (ec.generate_private_key(ec.SECP384R1()), "P-256"),
            (ed448.Ed448PrivateKey.generate(), "Ed25519"),
        ],
    )
    def test_too_weak_or_another_kind(self, key, message):
        with pytest.raises(ValueError, match=message):
            from_pem(self.pem(key.public_key()))

    def test_no_pem(self):
        with pytest.raises(ValueError, match="not a PEM public key"):
            from_pem("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----")


def test_a_token_is_read_without_being_believed(issuer):
    token = read(issuer.token({"kid": "k"}))
    assert (token.algorithm, token.kid, token.claims["sub"]) == ("EdDSA", "k", "carol")
