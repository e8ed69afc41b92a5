"""The strict YAML profile: files read to data that knows where every value stands."""

from envsync.documents.document import Document, parse

__all__ = ["Document", "parse"]
