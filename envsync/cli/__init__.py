"""The command line: parses arguments, calls one operation, prints its result."""
