"""Webhooks: other servers are told what happens to merge requests and merges. Signed as Standard Webhooks say."""
