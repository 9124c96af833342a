"""Databases and tables over HTTP."""
