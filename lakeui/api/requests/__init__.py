"""Merge requests and the protection of branches over HTTP."""
