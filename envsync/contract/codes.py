"""The catalogue of problem codes: what each means and how to mend it.

Read from ``schemas/codes/*.toml``, one file a room, one table a code with ``title``, ``meaning``
and ``mend``.
"""

from __future__ import annotations

from functools import cache

from msgspec import Struct

from envsync.contract.assets import asset


class Code(Struct, frozen=True):
    """``title`` is the rule in a few words; ``meaning`` is prose; ``mend`` may hold an example,
    indented by four spaces as in Markdown."""

    code: str
    title: str
    meaning: str
    mend: str

    @property
    def is_error(self) -> bool:
        return self.code.startswith("E")


@cache
def codes() -> dict[str, Code]:
    """Every code, in the order of their numbers."""
    import tomllib

    found: dict[str, Code] = {}
    for path in sorted(asset("schemas/codes").glob("*.toml")):
        for code, page in tomllib.loads(path.read_text(encoding="utf-8")).items():
            if code in found:
                raise ValueError(f"{path.name} explains {code} a second time")
            found[code] = Code(code, page["title"], page["meaning"].strip(), page["mend"].strip())
    return dict(sorted(found.items(), key=lambda item: (item[0][1:], item[0])))
