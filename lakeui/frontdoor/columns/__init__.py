"""Columns and properties that statements declare."""
