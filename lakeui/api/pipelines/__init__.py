"""Pipelines over HTTP."""
