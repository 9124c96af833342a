"""Merge requests: a merge that people look at before it is done. Their models, services, selectors and pure parts."""
