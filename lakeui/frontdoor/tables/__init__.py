"""Statements on databases and tables."""
