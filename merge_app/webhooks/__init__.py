"""Webhooks: other servers get messages of what happens to merge requests and merges. Signed as Standard Webhooks
say.
"""
