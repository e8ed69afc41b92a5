"""The network library costs what it must, and no more."""

from __future__ import annotations

import subprocess
import sys


def loaded_after(statement: str, *names: str) -> list[str]:
    code = f"import sys\n{statement}\nprint(*[n for n in {names!r} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_its_command_line_is_not_imported() -> None:
    assert loaded_after("import envsync.http.client", "click", "rich", "pygments") == []


def test_it_is_whole_all_the_same() -> None:
    code = "import envsync.http.client, httpx, importlib\nhttpx.AsyncClient, httpx.main"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_addresses_settings_and_the_report_do_not_need_it() -> None:
    statement = (
        "import envsync.http.address, envsync.http.settings, envsync.http.effective, "
        "envsync.api.http_transport"
    )
    assert loaded_after(statement, "httpx", "truststore", "cryptography", "asyncio") == []
