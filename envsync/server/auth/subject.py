"""The person that an application key acts for: ``Nylorun-Subject`` and ``Nylorun-Scopes``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from envsync.contract.names import RESERVED_SUBJECTS, is_subject
from envsync.server.auth.caller import SUBJECT_SCOPES
from envsync.server.refusal import Refusal

SUBJECT_HEADER: Final = "Nylorun-Subject"
SCOPES_HEADER: Final = "Nylorun-Scopes"

_RETIRED: Final = frozenset({"vaults:own", "tenant:settings"})


def single(name: str, values: Sequence[str]) -> str | None:
    """The one value of a subject header, or ``None``. Raises ``Refusal`` when it came twice."""
    if len(values) > 1:
        raise subject_invalid(f"{name} must be sent once")
    return values[0] if values else None


def subject_invalid(message: str, status: int = 400) -> Refusal:
    return Refusal(status, "subject_invalid", message)


def parse(subject: str | None, scopes: str | None) -> tuple[str, frozenset[str]] | None:
    """The person and their scopes, or ``None`` when the key acts for itself.

    Retired scope names are tolerated and ignored. Raises ``Refusal`` 400 ``subject_invalid``.
    """
    if subject is None:
        if scopes is not None:
            raise subject_invalid(f"{SCOPES_HEADER} requires {SUBJECT_HEADER}")
        return None
    if not is_subject(subject) or subject in RESERVED_SUBJECTS:
        raise subject_invalid(
            f"{SUBJECT_HEADER} is 1-200 visible ASCII characters, and neither host nor installation"
        )
    names = (scopes or "").split(" ")
    named = frozenset(name for name in names if name)
    if not named:
        raise subject_invalid(f"{SUBJECT_HEADER} requires {SCOPES_HEADER}")
    unknown = sorted(named - _RETIRED - frozenset(SUBJECT_SCOPES))
    if unknown:
        raise subject_invalid(
            f"{SCOPES_HEADER} names scopes that do not exist; there are {', '.join(SUBJECT_SCOPES)}"
        )
    return subject, named - _RETIRED
