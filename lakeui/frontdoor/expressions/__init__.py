"""Expressions that statements hold: resolved, typed, pruned by."""
