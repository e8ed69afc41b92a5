"""doctor: what is in effect here, and what is in the way."""

from __future__ import annotations

import asyncio

from envsync.cli import places
from envsync.cli.arguments import Arguments
from envsync.cli.console import Console
from envsync.cli.working import working
from envsync.embedded import connect
from envsync.errors import ExitCode
from envsync.operations.doctoring import doctor
from envsync.rendering.machine import doctor_json, doctor_lines


def run(arguments: Arguments, console: Console) -> ExitCode:
    start = places.start(arguments)
    with working(console, "looking around"):
        report = asyncio.run(doctor(start, arguments.text("context"), connect))
    if console.is_json:
        console.data(doctor_json(report))
    else:
        console.out(doctor_lines(report, console.width))
    return report.exit_code
