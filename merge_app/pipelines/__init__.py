"""Pipelines: a query and how its rows are written, kept with versions and run as tasks."""
