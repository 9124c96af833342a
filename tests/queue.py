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
    "tests/api/test_answers_match_the_document.py": 8.0,
    "tests/api/test_metrics.py": 6.0,
    "tests/backups/test_backups.py": 18.0,
    "tests/client/test_command.py": 17.1,
    "tests/client/test_lake.py": 16.6,
    "tests/contract/test_every_operation.py": 75.0,
    "tests/differential/test_cases.py": 65.5,
    "tests/e2e/test_analysis.py": 31.2,
    "tests/e2e/test_change_tables.py": 25.7,
    "tests/e2e/test_char_columns.py": 20.3,
    "tests/e2e/test_dbt_project.py": 12.0,
    "tests/e2e/test_demo_pipelines.py": 28.7,
    "tests/e2e/test_dry_runs.py": 15.3,
    "tests/e2e/test_imports.py": 18.0,
    "tests/e2e/test_keyed_merges.py": 13.3,
    "tests/e2e/test_laid_tables.py": 25.1,
    "tests/e2e/test_merge_into.py": 16.4,
    "tests/e2e/test_merge_requests.py": 15.0,
    "tests/e2e/test_nested_changes.py": 17.4,
    "tests/e2e/test_nested_columns.py": 23.0,
    "tests/e2e/test_nothing_changed.py": 22.3,
    "tests/e2e/test_pipelines.py": 67.7,
    "tests/e2e/test_rows_in_files.py": 29.2,
    "tests/e2e/test_rows_merged_by_key_and_stamp.py": 16.9,
    "tests/e2e/test_stamps_in_files.py": 15.6,
    "tests/e2e/test_subqueries.py": 17.4,
    "tests/e2e/test_tutorial.py": 16.5,
    "tests/e2e/test_whole_values.py": 25.8,
    "tests/e2e/test_write_modes.py": 14.9,
    "tests/engine/test_row_changes.py": 16.1,
    "tests/engine/test_transforms.py": 19.5,
    "tests/faults/test_killed_servers.py": 45.0,
    "tests/faults/test_killed_workers.py": 25.6,
    "tests/iceberg/test_engines.py": 25.0,
    "tests/in_memory/test_kept_columns.py": 12.1,
    "tests/keyed/test_agreement_with_the_model.py": 20.0,
    "tests/keyed/test_every_named_case.py": 17.6,
    "tests/keyed/test_replacing.py": 13.1,
    "tests/keyed/test_strategies.py": 25.0,
    "tests/lineage/test_comparisons.py": 24.4,
    "tests/lineage/test_laws.py": 12.1,
    "tests/lineage/test_product.py": 16.7,
    "tests/merge_rows/test_merge_agrees_with_the_model.py": 21.9,
    "tests/pipelines/strategies/test_against_the_model.py": 31.6,
    "tests/pipelines/strategies/test_behaviour.py": 22.5,
    "tests/pipelines/strategies/test_late_rows_after_deletes.py": 26.2,
    "tests/reference/test_laws.py": 14.7,
    "tests/review/test_merging.py": 13.8,
    "tests/review/test_queue.py": 16.4,
    "tests/review/test_resolutions.py": 19.3,
    "tests/review/test_what_decisions_do.py": 12.4,
    "tests/rights/test_agents.py": 25.3,
    "tests/rights/test_every_pipeline.py": 16.4,
    "tests/rights/test_every_protected_path.py": 14.5,
    "tests/rights/test_every_resource.py": 18.7,
    "tests/runtime/test_slow_clients.py": 17.1,
    "tests/runtime/test_up.py": 70.5,
    "tests/sql/test_failures.py": 19.4,
    "tests/sql/test_sizes.py": 13.1,
    "tests/stateful/test_decided_before.py": 13.6,
    "tests/stateful/test_laid_histories.py": 24.8,
    "tests/stateful/test_merge_stories_in_memory.py": 12.7,
    "tests/stateful/test_partition_stories.py": 14.7,
    "tests/stateful/test_recovery_stories.py": 13.1,
    "tests/stateful/test_renamed_partition_stories.py": 25.3,
    "tests/stateful/test_restores_known_in_part.py": 15.7,
    "tests/stateful/test_rewrites_that_both_know.py": 12.0,
    "tests/stateful/test_three_branch_histories.py": 29.5,
    "tests/stateful/test_undrop_stories.py": 12.7,
    "tests/takeover/test_tables_taken_over.py": 36.3,
    "tests/without_spark/test_killed_queues.py": 17.9,
    "tests/without_spark/test_killed_servers.py": 15.8,
    "tests/without_spark/test_killed_workers.py": 24.5,
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
