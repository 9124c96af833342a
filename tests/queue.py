"""The order in which workers take files of tests: those that need Spark from the front, the others from the back.

While one worker waits for Spark another computes, so that no core is idle. Long files come first on either side, so
that all workers end together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

SECONDS_WITH_SPARK = 2.0
SECONDS_WITHOUT = 0.2
SECONDS = {
    "tests/api/test_answers_match_the_document.py": 24.0,
    "tests/contract/test_every_operation.py": 155.0,
    "tests/differential/test_cases.py": 81.0,
    "tests/e2e/test_analysis.py": 47.0,
    "tests/e2e/test_change_tables.py": 28.0,
    "tests/e2e/test_char_columns.py": 17.0,
    "tests/e2e/test_demo_pipelines.py": 36.0,
    "tests/e2e/test_imports.py": 29.0,
    "tests/e2e/test_merge_requests.py": 25.0,
    "tests/e2e/test_nested_changes.py": 29.0,
    "tests/e2e/test_nested_columns.py": 29.0,
    "tests/e2e/test_nothing_changed.py": 32.0,
    "tests/e2e/test_pipelines.py": 69.0,
    "tests/e2e/test_rows_in_files.py": 40.0,
    "tests/e2e/test_rows_merged_by_key_and_stamp.py": 18.0,
    "tests/e2e/test_stamps_in_files.py": 24.0,
    "tests/e2e/test_subqueries.py": 22.0,
    "tests/e2e/test_whole_values.py": 29.0,
    "tests/e2e/test_write_modes.py": 24.0,
    "tests/engine/test_row_changes.py": 20.0,
    "tests/faults/test_killed_servers.py": 73.0,
    "tests/faults/test_killed_workers.py": 33.0,
    "tests/iceberg/test_engines.py": 60.0,
    "tests/keyed/test_agreement_with_the_model.py": 24.0,
    "tests/keyed/test_every_named_case.py": 19.0,
    "tests/keyed/test_strategies.py": 49.0,
    "tests/lineage/test_comparisons.py": 16.0,
    "tests/merge_rows/test_merge_agrees_with_the_model.py": 24.0,
    "tests/pipelines/strategies/test_behaviour.py": 18.0,
    "tests/pipelines/strategies/test_late_rows_after_deletes.py": 25.0,
    "tests/reference/test_laws.py": 17.0,
    "tests/review/test_resolutions.py": 17.0,
    "tests/rights/test_every_protected_path.py": 15.0,
    "tests/runtime/test_slow_clients.py": 18.0,
    "tests/runtime/test_up.py": 106.0,
    "tests/sql/test_failures.py": 17.0,
    "tests/sql/test_sizes.py": 21.0,
    "tests/stateful/test_partition_stories.py": 16.0,
    "tests/stateful/test_renamed_partition_stories.py": 47.0,
    "tests/stateful/test_restores_known_in_part.py": 18.0,
    "tests/stateful/test_restores_on_both_sides.py": 16.0,
    "tests/stateful/test_rewrites_that_both_know.py": 30.0,
    "tests/stateful/test_three_branch_histories.py": 55.0,
    "tests/without_spark/test_killed_queues.py": 19.0,
    "tests/without_spark/test_killed_servers.py": 29.0,
    "tests/without_spark/test_killed_workers.py": 47.0,
}
"""About what files take whose number of tests says little."""


class Queue(LoadFileScheduling):
    """The last worker takes files from the back."""

    def _assign_work_unit(self, node: WorkerController) -> None:
        if node is self.nodes[-1]:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)


@pytest.hookimpl(tryfirst=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Queue:
    config.option.loadscopereorder = False
    return Queue(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files in the order of the queue. A worker knows a test by its id: two tests of one id are an error."""
    repeated = [name for name, number in Counter(item.nodeid for item in items).items() if number > 1]
    if repeated:
        raise pytest.UsageError(f"Several tests share an id: {', '.join(repeated[:5])}")
    places = _places(items)
    items.sort(key=lambda item: places[_file(item)])


def _places(items: list[pytest.Item]) -> dict[str, float]:
    """Long files with Spark first, long files without last."""
    needs_spark = {_file(item) for item in items if item.get_closest_marker("spark")}
    seconds: defaultdict[str, float] = defaultdict(float)
    for item in items:
        seconds[_file(item)] += SECONDS_WITH_SPARK if item.get_closest_marker("spark") else SECONDS_WITHOUT
    known = {file: SECONDS.get(file, found) for file, found in seconds.items()}
    return {file: -found if file in needs_spark else found for file, found in known.items()}


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]
