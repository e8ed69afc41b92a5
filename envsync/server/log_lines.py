"""The server's own log as JSON lines on standard error, beside the access log."""

from __future__ import annotations

import logging
import sys

import orjson

from envsync.server.services.times import timestamp


class JsonLine(logging.Formatter):
    """One line a record. A traceback is in it, whole; no answer ever holds one."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": timestamp(),
            "event": "log",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return orjson.dumps(line, default=str).decode()


def log_to_stderr() -> logging.Handler:
    """Sends what the server and its web server say to standard error. Returns the handler."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLine())
    for name, level in (("envsync.server", logging.INFO), ("uvicorn.error", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.setLevel(level)
        logger.addHandler(handler)
        logger.propagate = False
    return handler
