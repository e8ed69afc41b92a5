"""Who is calling, and whether the route may be told so."""
