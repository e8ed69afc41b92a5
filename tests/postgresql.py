"""A PostgreSQL server of our own, for as long as somebody needs one."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote


def binaries() -> Path | None:
    """The folder of the newest PostgreSQL of this machine; ``None`` when there is none."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4])
    )
    if found:
        return found[-1].parent
    on_path = shutil.which("postgres")
    return Path(on_path).parent if on_path else None


@contextmanager
def cluster(programs: Path, *, durable: bool = False) -> Iterator[str]:
    """The address of a new server on a unix socket, gone with everything in it afterwards.

    Unless it is ``durable``, it need not survive a power cut, only the killing of its clients.
    """
    user = _plain_user()
    folder = Path(tempfile.mkdtemp(prefix="envsync-pg-"))
    if user is not None:
        shutil.chown(folder, user)
    data = folder / "data"

    def run(*command: str | Path) -> None:
        subprocess.run(command, user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL)

    run(
        *(programs / "initdb", "-D", data, "-U", "envsync", "--auth=trust", "--no-sync"),
        *("--encoding=UTF8", "--locale=C.UTF-8"),
    )
    options = f"-k {folder} -c listen_addresses="
    if not durable:
        options += " -c fsync=off -c autovacuum=off"
    run(programs / "pg_ctl", "start", "-w", "-D", data, "-l", folder / "log", "-o", options)
    try:
        yield f"postgresql://envsync@/postgres?host={quote(str(folder), safe='')}"
    finally:
        run(programs / "pg_ctl", "stop", "-w", "-D", data, "-m", "fast")
        shutil.rmtree(folder)


def _plain_user() -> str | None:
    """Whom to run PostgreSQL as: it refuses root."""
    import pwd

    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    return None
