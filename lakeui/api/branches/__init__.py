"""Catalogs, branches, tags, histories and merges over HTTP."""
