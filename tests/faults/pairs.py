"""Statements, and the points at which their workers are killed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.faults.outcomes import assert_happened_once, commits_of
from tests.faults.scenarios import SCENARIOS
from tests.faults.worker import run_and_kill
from tests.support.lake import Lake
from tests.support.soak import IS_SOAK

PAIRS = [
    ("INSERT", "task.claimed"),
    ("INSERT", "write.begin"),
    ("INSERT", "write.planned"),
    ("INSERT", "task.finishing"),
    ("UPDATE", "write.staged"),
    ("UPDATE", "write.released"),
    ("DELETE", "write.registered"),
    ("DELETE", "write.committed"),
    ("MERGE INTO", "write.staged"),
    ("MERGE INTO", "write.committed"),
    ("MERGE INTO, copy-on-write", "write.registered"),
    ("MERGE INTO, copy-on-write", "write.committing"),
    ("MERGE INTO, copy-on-write", "write.committed"),
    ("UPDATE beside OPTIMIZE", "write.row_work"),
    ("UPDATE beside OPTIMIZE", "write.committing"),
    ("DELETE beside OPTIMIZE", "write.row_work"),
    ("DELETE beside OPTIMIZE", "write.committed"),
    ("INSERT OVERWRITE", "write.committing"),
    ("INSERT OVERWRITE", "write.committed"),
    ("OPTIMIZE", "write.begin"),
    ("OPTIMIZE", "write.staged"),
    ("OPTIMIZE", "write.registered"),
    ("OPTIMIZE", "write.planned"),
    ("OPTIMIZE", "write.committing"),
    ("OPTIMIZE", "write.committed"),
    ("CTAS", "write.registered"),
    ("CTAS", "write.committed"),
    ("MERGE BRANCH", "merge.planned"),
    ("MERGE BRANCH", "merge.row_work"),
    ("MERGE BRANCH", "merge.committing"),
    ("MERGE BRANCH", "merge.committed"),
    ("MERGE BRANCH by key", "merge.row_work"),
    ("MERGE BRANCH by key", "merge.committing"),
    ("MERGE BRANCH by key", "merge.committed"),
    ("MERGE BRANCH of another catalog", "catalogs.joining"),
    ("MERGE BRANCH of another catalog", "merge.joined"),
    ("MERGE BRANCH, refused", "task.finishing"),
    ("MERGE BRANCH, nothing new", "task.finishing"),
    ("RESTORE TABLE", "restore.planned"),
    ("RESTORE TABLE", "restore.committing"),
    ("RESTORE TABLE", "restore.committed"),
    ("UNDROP TABLE", "restore.committed"),
    ("UNDROP BRANCH", "task.finishing"),
    ("RESET BRANCH", "task.finishing"),
    ("CREATE BRANCH", "task.finishing"),
    ("VACUUM", "vacuum.committing"),
    ("VACUUM", "vacuum.committed"),
    ("VACUUM", "vacuum.removing"),
    ("COMMIT", "transaction.committing"),
    ("COMMIT", "transaction.committed"),
    ("RUN PIPELINE", "write.begin"),
    ("RUN PIPELINE", "write.staged"),
    ("RUN PIPELINE", "write.committing"),
    ("RUN PIPELINE", "write.committed"),
    ("RUN PIPELINE, first run", "write.registered"),
    ("RUN PIPELINE, published", "merge.planned"),
    ("RUN PIPELINE, published", "transaction.committing"),
    ("RUN PIPELINE, published", "merge.committed"),
    ("IMPORT", "write.begin"),
    ("IMPORT", "write.staged"),
    ("IMPORT", "write.registered"),
    ("IMPORT", "write.committed"),
    ("IMPORT", "task.finishing"),
    ("IMPORT by key", "write.staged"),
    ("IMPORT by key", "write.registered"),
    ("IMPORT by key", "write.committed"),
    ("IMPORT of a new table", "write.staged"),
    ("IMPORT of a new table", "write.committed"),
]


def covering(pairs: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Pairs by which each statement and each point comes up: those of two new ones first."""
    missing = {part for pair in pairs for part in pair}
    for new in (2, 1):
        for pair in pairs:
            if len(missing.intersection(pair)) >= new:
                missing.difference_update(pair)
                yield pair


ON_SPARK_ALONE = ("MERGE INTO, copy-on-write", "IMPORT", "IMPORT by key", "IMPORT of a new table")
"""Statements that the engine in memory does not have."""
IN_MEMORY = [pair for pair in PAIRS if pair[0] not in ON_SPARK_ALONE]
ALSO_ON_SPARK = [
    ("UPDATE", "write.staged"),
    ("OPTIMIZE", "write.registered"),
    ("MERGE BRANCH", "merge.row_work"),
    ("VACUUM", "vacuum.removing"),
]
"""Files that Spark wrote lie there, where no one knows of them yet or any more."""
TRIED_IN_MEMORY = IN_MEMORY if IS_SOAK else list(covering(IN_MEMORY))
TRIED_ON_SPARK = (
    PAIRS if IS_SOAK else [*covering([pair for pair in PAIRS if pair[0] in ON_SPARK_ALONE]), *ALSO_ON_SPARK]
)


def assert_survives_kill(lake: Lake, worker_faults: Path, statement: str, point: str) -> None:
    """A worker is killed at the point, and the statement has happened once."""
    scenario = SCENARIOS[statement]
    parameters = scenario.prepare(lake)
    commits = commits_of(lake)
    meanwhile = partial(lake.sql, scenario.meanwhile) if scenario.meanwhile else None
    task = run_and_kill(parameters, worker_faults, point, meanwhile, kind=scenario.kind)
    assert task.attempts == 2
    assert_happened_once(lake, statement, task, commits)
