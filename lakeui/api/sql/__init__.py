"""Statements, scripts, sessions, results and tasks over HTTP."""
