"""What this server can run, as far as it decides whether a manifest may be saved."""

from __future__ import annotations

from msgspec import Struct


class Abilities(Struct, frozen=True):
    """``pods``: kind ``pod`` can run here.

    ``images_are_host``: every image stands for this machine's own system, read-only, so that a
    manifest that names one gets a warning.
    """

    pods: bool = True
    images_are_host: bool = True
