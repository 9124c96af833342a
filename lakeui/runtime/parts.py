"""What the parts of `up` are called, how each is asked to stop, and which start again."""

from __future__ import annotations

import signal

# How each service is asked to stop, and how long it may take. Redis and PostgreSQL have data to put down.
STOPPING = {
    "demo": (signal.SIGTERM, 3.0),
    "prepare": (signal.SIGTERM, 5.0),
    "web": (signal.SIGTERM, 8.0),
    "worker": (signal.SIGTERM, 10.0),
    "spark_queries": (signal.SIGTERM, 15.0),
    "spark": (signal.SIGTERM, 15.0),
    "redis": (signal.SIGTERM, 10.0),
    "postgres": (signal.SIGINT, 30.0),
}


NEVER_GIVEN_UP = {"spark", "spark_queries"}
"""Started again without end: a statement can end them, and no statement may stop the other parts."""
QUERY_TASKS = "spark_query_tasks"
"""The process of the tasks of queries, which the Spark server of queries starts by itself."""
RESTARTED = ("postgres", "redis", "spark", "spark_queries", QUERY_TASKS, "web", "worker")
QUERY_TASKS_PER_CORE = 8
"""Of the Spark server of queries: one that was stopped leaves places to the others, until its process ends."""
QUERY_NICENESS = 5
"""Of the same server: while a query computes, pages and writes wait less for the processor."""
