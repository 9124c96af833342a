"""PySpark is imported when the first piece of work needs it, which may be several at once."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import importlib, threading
from catalog_app.engine import session

class Known:
    def addTag(self, tag): ...
    conf = {"spark.sql.ansi.enabled": "true"}

session._connect = lambda *_: Known()
modules = ["pyspark.sql.connect.functions", "pyspark.sql.types", "pyspark.sql.pandas.types", "pyspark.sql.udf",
    "pyspark.sql.connect.client.retries", "pyspark.sql.connect.session", "pyspark.sql.functions", "pyspark.logger"]
sessions, together, wrong = session.SparkSessions("sc://localhost:1"), threading.Barrier(len(modules)), []

def work(module):
    together.wait()
    try:
        sessions.run(lambda _: importlib.import_module(module))
    except BaseException as error:
        wrong.append(repr(error))

threads = [threading.Thread(target=work, args=[module]) for module in modules]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not wrong, wrong
"""


def test_threads_importing_pyspark_at_once_all_get_it() -> None:
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120, check=False)
    assert found.returncode == 0, found.stderr
