"""The room that stays: wake-ups, looking again, and the loop that brings a server in step."""
