"""Benchmarks: always side by side, in one run, with what a person would use instead."""
