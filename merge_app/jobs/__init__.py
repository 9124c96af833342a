"""Work that outlives a request: the task row is the truth, Celery only notifies workers."""
