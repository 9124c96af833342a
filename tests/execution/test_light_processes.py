"""Web and worker processes start without PySpark and DuckDB: they are for those that run work on rows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
import sys
import django
django.setup()
import lakeui.celery, lakeui.frontdoor.dispatch, lakeui.urls, lakeui.wsgi
assert "pyspark" not in sys.modules
assert "pandas" not in sys.modules
assert "duckdb" not in sys.modules
"""


def test_web_and_worker_start_without_pyspark_and_duckdb() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
