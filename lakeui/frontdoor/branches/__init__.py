"""Statements on catalogs, branches, merges and transactions."""
