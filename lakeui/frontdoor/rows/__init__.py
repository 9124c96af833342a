"""Statements that write rows."""
