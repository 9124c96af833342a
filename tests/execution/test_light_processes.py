"""Web and worker processes start without PySpark and DuckDB: they are for those that run work on rows. None looks for
cycles in what it loads.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
import gc, sys
import django.conf
django.conf.settings.DEBUG
began = [generation["collections"] for generation in gc.get_stats()]
django.setup()
assert [generation["collections"] for generation in gc.get_stats()] == began
assert gc.isenabled()
assert gc.get_freeze_count() > 100_000
import lakeui.celery, lakeui.frontdoor.dispatch, lakeui.urls, lakeui.wsgi
assert "pyspark" not in sys.modules
assert "pandas" not in sys.modules
assert "duckdb" not in sys.modules
"""


def test_web_and_worker_start_light() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
