"""The network library, imported without the command line that it carries.

``import httpx`` also tries to import httpx's own command, which pulls in a parser, a terminal
library and a highlighter where they are installed: two thirds of the whole cost, for nothing that
is used here. An entry of ``None`` makes that one import fail, which httpx is prepared for.
"""

from __future__ import annotations

import sys

_COMMAND = "httpx._main"

if "httpx" in sys.modules:
    import httpx
else:
    sys.modules[_COMMAND] = None  # type: ignore[assignment]
    try:
        import httpx
    finally:
        del sys.modules[_COMMAND]

__all__ = ["httpx"]
