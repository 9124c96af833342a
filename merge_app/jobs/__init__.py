"""Work that outlives a request: the task row is the truth, Celery only the doorbell."""
