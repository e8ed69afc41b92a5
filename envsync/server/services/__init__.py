"""What the server does, as plain functions over a Transaction. No HTTP, no asyncio."""
