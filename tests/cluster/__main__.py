"""``make cluster-test``: the tour, strategies, MERGE INTO and kills on a cluster of Spark that this starts.

The cluster is a standalone master, two workers and a Connect server of this machine. The warehouse lies in an object
store, so that no part reads what another one wrote on a disk.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.cluster.servers import DRIVER, WORKERS, Cluster
from tests.support.object_store import WAREHOUSE, ObjectStore, store_of_spark

ROOT = Path(__file__).resolve().parents[2]
PLAYED = (
    "tests/on_spark/merges/test_demo_lake.py::test_the_tutorial_says_what_happens",
    "tests/on_spark/merges/test_merge_stories.py",
    "tests/on_spark/pipelines/test_pipelines.py",
    "tests/on_spark/rows/test_merge_into.py",
    # Last: it leaves one worker.
    "tests/cluster/kills.py",
)


def main() -> int:
    chosen = sys.argv[1:] or [*PLAYED]
    with tempfile.TemporaryDirectory(prefix="lakeui-cluster-") as made:
        Path(made).chmod(0o711)
        store = ObjectStore(Path(made) / "store")
        store.start()
        cluster = Cluster(Path(made), store_of_spark(store))
        try:
            store.wait_until_ready()
            cluster.start()
            environment = os.environ | store.environment
            environment |= {
                WAREHOUSE: f"{store.bucket('cluster')}/lake",
                "SPARK_REMOTE": cluster.driver.url,
                WORKERS: ",".join(str(worker.pid) for worker in cluster.workers),
                DRIVER: str(cluster.driver_file),
            }
            command = [sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider", "--durations=10", *chosen]
            with cluster.driver_kept():
                return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        finally:
            cluster.stop()
            store.stop()


if __name__ == "__main__":
    sys.exit(main())
