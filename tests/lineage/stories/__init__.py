"""Stories whose outcome merging by lineage changed. ``tests/stateful`` tells them of replays."""
