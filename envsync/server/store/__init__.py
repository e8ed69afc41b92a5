"""The server's database: one interface, SQL in files, SQLite or PostgreSQL below."""
