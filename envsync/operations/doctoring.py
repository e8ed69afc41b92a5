"""doctor: what is in effect here, what works, and how to mend what does not."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from pathlib import Path

from envsync import __version__
from envsync.contract.features import PROTOCOL
from envsync.errors import EnvsyncError
from envsync.operations import schemas
from envsync.operations.contexts import credential
from envsync.operations.reports import Check, DoctorReport
from envsync.operations.workspace import Connect, Session, Workspace


async def doctor(start: Path, context_name: str | None, connect: Connect) -> DoctorReport:
    """Looks at the program, the repository around ``start``, and the context's server.

    Never raises for what it looks at: each trouble is a check that failed, with a way out.
    """
    checks = [program(), git()]
    try:
        workspace = Workspace.open(start, context_name, connect)
    except EnvsyncError as error:
        checks.append(trouble("repository", error))
        return DoctorReport(tuple(checks))
    checks.append(Check("repository", "ok", str(workspace.project.root)))
    checks.append(copies(workspace))
    checks += network(workspace)
    checks += await server(workspace)
    return DoctorReport(tuple(checks))


def trouble(name: str, error: EnvsyncError) -> Check:
    position = error.problems[0].position
    where = f"{position}: " if position else ""
    return Check(name, "failed", where + error.message, error.remedy)


def program() -> Check:
    python = platform.python_version()
    return Check("envsync", "ok", f"{__version__} on Python {python}, {sys.platform}")


def git() -> Check:
    path = shutil.which("git")
    if path is None:
        return Check("git", "warning", "not found", "install Git to see commits beside versions")
    asked = subprocess.run([path, "--version"], capture_output=True, check=False, timeout=10)  # noqa: S603
    return Check("git", "ok", asked.stdout.decode(errors="replace").strip() or path)


def copies(workspace: Workspace) -> Check:
    problems = schemas.check(workspace.project.root / "schemas", "schemas")
    if not problems:
        return Check("schemas", "ok", "the copies in schemas/ are this version's")
    return Check("schemas", "warning", problems[0].message, "envsync schema export")


def network(workspace: Workspace) -> list[Check]:
    context = workspace.context
    found = [
        Check("context", "info", context.name + (" (protected)" if context.protected else "")),
        Check("credential", "info", credential(context, workspace.environ)),
    ]
    if context.embedded:
        path = context.database_path(workspace.project.root)
        return [*found, Check("database", "info", str(path))]
    from envsync.http.effective import effective
    from envsync.http.settings import HttpSettings

    try:
        ruling = effective(HttpSettings(ca_bundle=context.ca_bundle), context.server)
    except EnvsyncError as error:
        return [*found, trouble("network", error)]
    limits = (
        f"connect {ruling.connect_seconds:g} s, read {ruling.read_seconds:g} s, "
        f"{ruling.attempts} attempts, {ruling.concurrency} side by side"
    )
    proxy = ruling.proxy or "none"
    return [
        *found,
        Check("proxy", "info", f"{proxy} ({ruling.proxy_reason})"),
        Check("trust store", "info", ruling.trust),
        Check("limits", "info", limits),
    ]


async def server(workspace: Workspace) -> list[Check]:
    try:
        async with workspace.session() as session:
            features = ", ".join(sorted(session.health.features)) or "none"
            found = [*spoken(session), Check("extensions", "info", features)]
            caller = (await session.reader.me()).via
            if caller:
                return [*found, Check("caller", "ok", caller)]
            return [*found, Check("caller", "warning", "the server does not say who we are")]
    except EnvsyncError as error:
        return [trouble("server", error)]


def spoken(session: Session) -> list[Check]:
    """What the server says of itself. Other programs answer ``/health`` too, and say less."""
    health, address = session.health, session.identity.address
    if not health.protocol_max:
        told = f"{address} does not say which protocol it serves: it may be no Runtime"
        return [Check("server", "warning", told, "check the context's `server:`")]
    span = f"{health.protocol_min} to {health.protocol_max}"
    version = f", version {health.version}" if health.version else ""
    return [
        Check("server", "ok", f"{address}{version}"),
        Check("protocol", "ok", f"{span}; envsync speaks {PROTOCOL}"),
    ]
