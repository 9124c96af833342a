"""Branches, history, conflict rules and merges for tables of Parquet files."""

__version__ = "0.1.0"
