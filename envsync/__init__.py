"""Keep the environments of coding agents in Git: plan, review, apply, watch."""

__version__ = "0.1.0"
