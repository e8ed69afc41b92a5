"""What is served: one module a family of routes, and the table that finds them."""
