"""One module a command or family: each calls one operation and prints its result."""
