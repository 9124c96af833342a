"""Imported by a worker of these tests before it forks: processes in the place of killed ones need no time for it."""

from __future__ import annotations

import pyspark.sql.connect.session  # noqa: F401
