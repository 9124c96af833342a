"""The order in which workers take files of tests: those that need Spark from the front, the others from the back.

While one worker waits for Spark another computes, so that no core is idle. Long files come first on either side, and
short files are left for the end, so that all workers end together.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

SECONDS_WITH_SPARK = 2.0
SECONDS_WITHOUT = 0.2
SECONDS = {
    "tests/api/http/test_list_costs.py": 9.0,
    "tests/backups/test_backups.py": 18.0,
    "tests/backups/test_store_backups.py": 13.3,
    "tests/client/test_command.py": 20.1,
    "tests/client/test_dbapi.py": 12.3,
    "tests/client/test_lake.py": 14.4,
    "tests/client/test_orchestrators.py": 3.3,
    "tests/client/test_results.py": 11.9,
    "tests/concurrency/test_serial_history.py": 8.9,
    "tests/contract/test_every_operation.py": 73.0,
    "tests/differential/test_cases.py": 62.0,
    "tests/differential/test_histories.py": 15.8,
    "tests/docs/test_language_of_code.py": 4.0,
    "tests/on_spark/expressions/test_analysis.py": 29.4,
    "tests/on_spark/rows/test_batches_as_in_table.py": 10.9,
    "tests/on_spark/compare/test_change_tables.py": 25.5,
    "tests/on_spark/columns/test_char_columns.py": 16.5,
    "tests/on_spark/columns/test_check_constraints.py": 10.9,
    "tests/on_spark/tables/test_cloned_tables.py": 9.9,
    "tests/on_spark/pipelines/test_dbt_project.py": 14.3,
    "tests/on_spark/merges/test_demo_lake.py": 36.0,
    "tests/on_spark/rows/test_dry_runs.py": 13.9,
    "tests/on_spark/merges/test_files_read_by_key_merges.py": 13.6,
    "tests/on_spark/rows/test_imports.py": 12.3,
    "tests/on_spark/rows/test_json_maps.py": 10.9,
    "tests/on_spark/rows/test_keyed_merges.py": 19.8,
    "tests/on_spark/tables/test_laid_tables.py": 27.8,
    "tests/on_spark/rows/test_merge_into.py": 17.6,
    "tests/on_spark/requests/test_merge_requests.py": 22.7,
    "tests/on_spark/columns/test_nested_changes.py": 21.9,
    "tests/on_spark/columns/test_nested_columns.py": 24.3,
    "tests/on_spark/rows/test_nothing_changed.py": 22.2,
    "tests/on_spark/pipelines/test_pipelines.py": 72.3,
    "tests/on_spark/rows/test_pruned_files.py": 8.2,
    "tests/on_spark/compare/test_row_changes.py": 8.3,
    "tests/on_spark/merges/test_rows_in_files.py": 27.3,
    "tests/on_spark/merges/test_rows_merged_by_key_and_stamp.py": 15.3,
    "tests/on_spark/merges/test_stamps_in_files.py": 11.5,
    "tests/on_spark/expressions/test_subqueries.py": 18.9,
    "tests/on_spark/expressions/test_whole_values.py": 27.9,
    "tests/on_spark/merges/test_write_modes.py": 22.9,
    "tests/engine/test_by_key.py": 9.6,
    "tests/engine/test_inserts.py": 8.5,
    "tests/engine/test_literals.py": 7.8,
    "tests/engine/test_nested_reads.py": 8.1,
    "tests/engine/test_plain_values.py": 16.4,
    "tests/engine/test_row_changes.py": 18.8,
    "tests/engine/test_transforms.py": 15.6,
    "tests/faults/test_killed_servers.py": 45.6,
    "tests/faults/test_killed_workers.py": 24.3,
    "tests/iceberg/test_engines.py": 26.5,
    "tests/in_memory/columns/test_kept_columns.py": 8.2,
    "tests/in_memory/rows/test_subqueries.py": 10.5,
    "tests/upsert/test_agreement_with_the_model.py": 23.6,
    "tests/upsert/test_every_named_case.py": 19.5,
    "tests/upsert/test_replacing.py": 12.1,
    "tests/upsert/test_strategies.py": 18.3,
    "tests/jobs/test_real_workers.py": 10.0,
    "tests/lineage/test_comparisons.py": 15.5,
    "tests/lineage/test_laws.py": 8.0,
    "tests/lineage/test_model.py": 9.7,
    "tests/lineage/test_product.py": 14.3,
    "tests/lineage/test_product_keyed.py": 8.9,
    "tests/lineage/test_wide_histories.py": 8.3,
    "tests/merge_into/test_merge_agrees_with_the_model.py": 23.7,
    "tests/mcp/test_tools.py": 3.4,
    "tests/pipelines/strategies/test_against_the_model.py": 13.8,
    "tests/pipelines/strategies/test_behaviour.py": 14.3,
    "tests/pipelines/strategies/test_late_rows_after_deletes.py": 23.1,
    "tests/pipelines/strategies/test_versions.py": 8.1,
    "tests/pipelines/test_templates.py": 9.9,
    "tests/pruning/test_as_spark_finds.py": 8.2,
    "tests/reference/test_laws.py": 15.7,
    "tests/review/test_any_order.py": 3.1,
    "tests/review/test_merge_policies.py": 11.3,
    "tests/review/test_merge_races.py": 2.8,
    "tests/review/test_merging.py": 10.0,
    "tests/review/test_queue.py": 14.1,
    "tests/review/test_resolutions.py": 16.9,
    "tests/review/test_what_decisions_do.py": 8.4,
    "tests/rights/test_agents.py": 11.0,
    "tests/rights/test_every_path.py": 10.0,
    "tests/rights/test_every_protected_path.py": 15.3,
    "tests/rights/test_every_resource.py": 10.1,
    "tests/runtime/test_processes.py": 32.0,
    "tests/runtime/test_reloads.py": 9.0,
    "tests/runtime/test_slow_clients.py": 17.1,
    "tests/runtime/test_stopped_queries.py": 17.0,
    "tests/runtime/test_up.py": 72.7,
    "tests/runtime/test_web_server.py": 11.2,
    "tests/sql/test_failures.py": 7.9,
    "tests/sql/test_sizes.py": 5.4,
    "tests/stores/test_engines.py": 10.0,
    "tests/stores/test_google.py": 4.0,
    "tests/stores/test_tour.py": 35.0,
    "tests/stores/test_vended_keys.py": 4.0,
    "tests/stores/test_warehouse.py": 4.0,
    "tests/stories/test_forwarded_histories.py": 8.2,
    "tests/stories/test_laid_histories.py": 17.6,
    "tests/stories/test_rewrites_that_both_know.py": 10.8,
    "tests/stories/test_three_branch_histories.py": 22.3,
    "tests/takeover/test_tables_taken_over.py": 31.4,
    "tests/without_spark/test_killed_queues.py": 18.8,
    "tests/without_spark/test_killed_servers.py": 25.0,
    "tests/without_spark/test_killed_workers.py": 20.3,
    "tests/without_spark/test_merge_requests.py": 9.1,
}
"""About what files take whose number of tests says little."""


class Queue(LoadFileScheduling):
    """The last worker takes files without Spark from the back. So do all when no other files are left."""

    _spark: frozenset[str] | None = None

    def _assign_work_unit(self, node: WorkerController) -> None:
        if self._spark is None:
            self._spark = files_with_spark({file: len(tests) for file, tests in self.workqueue.items()})
        first, last = next(iter(self.workqueue)), next(reversed(self.workqueue))
        if first not in self._spark or (node is self.nodes[-1] and last not in self._spark):
            self.workqueue.move_to_end(last, last=False)
        super()._assign_work_unit(node)

    def _pending_of(self, workload: dict[str, dict[str, bool]]) -> int:
        """Tests that a worker has before it, asked after each of its tests. It runs files in the order in which it took
        them, so none waits in front of a file that is done.
        """
        pending = 0
        for tests in reversed(workload.values()):
            waiting = list(tests.values()).count(False)
            if not waiting:
                break
            pending += waiting
        return pending


def files_with_spark(tests: Mapping[str, int]) -> frozenset[str]:
    """Of the queue's files, which have so many tests. Workers alone know what a test needs, and sort by it.

    Up to the first file that seems to take longer than the one before. A file of one test without Spark may be among
    them.
    """
    before, found = math.inf, []
    for file, number in tests.items():
        about = seconds(file, number, SECONDS_WITH_SPARK)
        if about > before:
            break
        found.append(file)
        before = about
    return frozenset(found)


def seconds(file: str, tests: int, each: float) -> float:
    """About what a file takes."""
    return SECONDS.get(file, tests * each)


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
    tests = Counter(map(_file, items))
    return {
        file: -seconds(file, number, SECONDS_WITH_SPARK)
        if file in needs_spark
        else seconds(file, number, SECONDS_WITHOUT)
        for file, number in tests.items()
    }


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]
