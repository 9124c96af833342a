"""Queries that people keep under a name."""
