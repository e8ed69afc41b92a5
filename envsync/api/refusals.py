"""What the server refused, as an ``ApiError`` with a plain way out."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from envsync.api.messages import Response
from envsync.api.reading import each, is_array, is_object, text, whole
from envsync.contract.features import PROTOCOL
from envsync.contract.json_types import Json
from envsync.errors import ApiError

_LONGEST_SENTENCE = 2_000
_DEEPEST = 3


class Refusal(Struct, frozen=True):
    """An error answer as far as it can be understood: ``message`` is never empty."""

    status: int
    code: str
    message: str
    details: Json = None
    retry_after: str = ""


class Asked(Struct, frozen=True):
    """What was asked: ``subject`` names the object (``manifest analyst-box``) or is empty;
    ``key`` says where the credential came from."""

    subject: str = ""
    key: str = ""


def read_refusal(response: Response) -> Refusal:
    """From ``{code, message, details}``, problem details (RFC 9457), ``{"error": ...}`` in its
    shapes, a bare string, or no JSON at all."""
    try:
        value = response.json()
    except ValueError:
        value = None
    code, message, details = _parts(value)
    if not message:
        message = f"the server answered {response.status}" + (f" ({code})" if code else "")
    return Refusal(
        status=response.status,
        code=code,
        message=message[:_LONGEST_SENTENCE],
        details=details,
        retry_after=response.headers.get("retry-after", ""),
    )


def _parts(value: Json, depth: int = 0) -> tuple[str, str, Json]:
    if isinstance(value, str):
        return "", value, None
    if not is_object(value) or depth > _DEEPEST:
        return "", "", None
    code, details = text(value.get("code")), value.get("details")
    message = text(value.get("message")) or text(value.get("detail")) or text(value.get("title"))
    inner = value.get("error")
    if is_object(inner):
        inner_code, inner_message, inner_details = _parts(inner, depth + 1)
        return code or inner_code, message or inner_message, details or inner_details
    if isinstance(inner, str):
        # OAuth's shape has a word in `error` and the sentence in `error_description`.
        described = text(value.get("error_description"))
        message = message or described or inner
        code = code or (inner if described else "")
    if not message and (is_array(value.get("errors")) or isinstance(value.get("errors"), str)):
        found = each(value.get("errors"), lambda error: _parts(error, depth + 1)[1])
        message = " ".join(sentence for sentence in found if sentence)
    return code, message, details


def error_of(response: Response, asked: Asked) -> ApiError:
    """The ``ApiError`` for a status of 400 or more (or any that was not expected)."""
    refusal = read_refusal(response)
    tell = _BY_STATUS.get(refusal.status)
    if tell is None:
        tell = _server_failed if refusal.status >= 500 else _unexpected
    code, message, remedy = tell(refusal, asked)
    return ApiError(
        code,
        message,
        status=refusal.status,
        api_code=refusal.code,
        details=refusal.details,
        remedy=remedy,
        subject=asked.subject,
    )


def protocol_error(minimum: int, maximum: int, status: int = 426) -> ApiError:
    """The server speaks ``minimum`` to ``maximum`` (0: not said), and we speak 14."""
    if not maximum:
        spoken = "it does not say which protocols it serves"
    elif minimum == maximum:
        spoken = f"it serves protocol {maximum}"
    else:
        spoken = f"it serves protocols {minimum} to {maximum}"
    if maximum and maximum < PROTOCOL:
        remedy = f"update the server to one that serves protocol {PROTOCOL}"
    elif minimum > PROTOCOL:
        remedy = "update envsync: the server is newer"
    else:
        remedy = "check that the address is that of a Runtime"
    return ApiError(
        "E634",
        f"envsync speaks protocol {PROTOCOL}, and the server refuses it: {spoken}",
        status=status,
        api_code="protocol_unsupported",
        details={"min": minimum, "max": maximum},
        remedy=remedy,
    )


_Told = tuple[str, str, str]


def _bad_request(refusal: Refusal, asked: Asked) -> _Told:
    what = f"the server refuses {asked.subject}" if asked.subject else "the server refuses this"
    return "E646", f"{what}: {refusal.message}", "change what the sentence names, and plan again"


def _unauthenticated(refusal: Refusal, asked: Asked) -> _Told:
    key = f"the key from {asked.key}" if asked.key else "the context's key"
    if refusal.code == "credential_required":
        message = "the server asks for a key, and none that it understands was sent"
    elif refusal.code == "token_expired":
        message = f"{key} is a token that has expired"
    elif refusal.code == "issuer_unavailable":
        message = "the server cannot reach the issuer of this token now"
    else:
        message = f"the server does not know {key}"
    return "E635", message, f"check {asked.key or '`key:` of the context in envsync.yaml'}"


def _forbidden(refusal: Refusal, asked: Asked) -> _Told:
    if refusal.code == "scope_required":
        details = refusal.details if is_object(refusal.details) else {}
        scopes = ", ".join(scope for scope in each(details.get("scopes"), text) if scope)
        message = f"this needs the scope {scopes}" if scopes else refusal.message
        return "E636", message, "use a key or a token that has it"
    if refusal.code == "key_role_mismatch":
        message = f"the key has the wrong role for this: {refusal.message}"
        return "E637", message, "give the context an application key with `key:`"
    return "E637", f"the server forbids this: {refusal.message}", _ask_who_runs_it


def _missing(refusal: Refusal, asked: Asked) -> _Told:
    if asked.subject:
        return (
            "E638",
            f"the server has no {asked.subject}, or not for this key",
            "check the name and the context; `envsync status` lists what there is",
        )
    return (
        "E638",
        f"the server does not know this part of the API: {refusal.message}",
        "check that the context's `server:` is the address of a Runtime, without a path",
    )


def _in_conflict(refusal: Refusal, asked: Asked) -> _Told:
    if refusal.code != "manifest_in_use":
        return "E640", f"the server cannot do this now: {refusal.message}", _ask_who_runs_it
    details = refusal.details if is_object(refusal.details) else {}
    named = [name for name in each(details.get("environments"), _environment_name) if name]
    total = whole(details.get("total")) or len(named)
    by = f"{total} Environments were made from it" if total != 1 else "an Environment comes from it"
    shown = ", ".join(named[:5]) + (", ..." if total > 5 else "")
    message = f"{asked.subject or 'the manifest'} is in use: {by}" + (
        f" ({shown})" if named else ""
    )
    return "E639", message, "move those Environments to another manifest, or delete them, first"


def _environment_name(value: Json) -> str:
    return text(value.get("id")) if is_object(value) else text(value)


def _changed(refusal: Refusal, asked: Asked) -> _Told:
    details = refusal.details if is_object(refusal.details) else {}
    version = whole(details.get("currentVersion"))
    now = "" if version is None else f": the latest is version {version}"
    message = f"{asked.subject or 'it'} was changed on the server since it was read{now}"
    return "E641", message, "run `envsync plan` to see what is there now"


def _too_large(refusal: Refusal, asked: Asked) -> _Told:
    what = asked.subject or "the request"
    return "E642", f"{what} is too large for the server: {refusal.message}", "make it smaller"


def _media_type(refusal: Refusal, asked: Asked) -> _Told:
    return (
        "E643",
        f"the server does not take JSON here: {refusal.message}",
        "check that the address is that of a Runtime, and what stands between",
    )


def _slow_down(refusal: Refusal, asked: Asked) -> _Told:
    wait = refusal.retry_after
    when = f"; it asks to wait {wait} s" if wait.isdigit() else ""
    return (
        "E644",
        f"the server has had too many requests{when}",
        "run it again later: what is done already is not done twice",
    )


def _server_failed(refusal: Refusal, asked: Asked) -> _Told:
    return (
        "E645",
        f"the server failed with {refusal.status}: {refusal.message}",
        "try again; if it stays so, ask who runs the server",
    )


def _unexpected(refusal: Refusal, asked: Asked) -> _Told:
    return (
        "E648",
        f"the server answered {refusal.status}, which is not expected here: {refusal.message}",
        "check that the address is that of a Runtime",
    )


_ask_who_runs_it = "ask who runs the server"

_BY_STATUS: dict[int, Callable[[Refusal, Asked], _Told]] = {
    400: _bad_request,
    401: _unauthenticated,
    403: _forbidden,
    404: _missing,
    409: _in_conflict,
    412: _changed,
    413: _too_large,
    415: _media_type,
    422: _bad_request,
    429: _slow_down,
}
