"""Web and worker processes start without PySpark and DuckDB: they are for those that run work on rows. None looks for
cycles in what it loads. A worker loads no view.
"""

from __future__ import annotations

import os
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

WORKER = """
import sys
from lakeui.celery import app
app.loader.import_default_modules()
assert {"lakeui.run_task", "lakeui.deliver_mail", "lakeui.deliver_webhook"} <= set(app.tasks)
from merge_app.jobs import registry
assert {"sql", "sql query", "sql script", "import", "pipeline", "merge request"} <= set(registry._HANDLERS)
from lakeui.runtime.management.commands.prepare import Command
assert Command.requires_system_checks == "__all__"
assert "lakeui.urls" not in sys.modules
views = [name for name in sys.modules if name.startswith(("lakeui.api.", "lakeui.access.")) and name.endswith("views")]
assert views == [], views
"""


def test_web_and_worker_start_light() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_worker_loads_no_view() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "CELERY_SKIP_CHECKS"}
    done = subprocess.run(
        [sys.executable, "-c", WORKER], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
