"""Comparisons of branches over HTTP."""
