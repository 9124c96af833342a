"""Proof: other engines read every version of random histories, through HTTP, and find the rows that lakeui shows."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from urllib.parse import quote
from wsgiref.simple_server import make_server

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.wsgi import get_wsgi_application
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import BadRequestError

from catalog_app.selectors.objects import database_get, table_get
from catalog_app.selectors.segments import segments_list, table_scan
from catalog_app.selectors.snapshots import branch_get, branch_snapshot, catalog_get
from catalog_app.storage.deletes import deleted_positions, stored_row_ids
from catalog_app.storage.warehouse import Warehouse
from lakeui.access.tokens import token_create
from lakeui.common.errors import LakeError
from tests.iceberg.engines import counted, lakeui_rows, other_rows, pyiceberg_rows
from tests.on_spark.conftest import services
from tests.support.kept_server import OnceServer, Quiet
from tests.support.lake import Lake
from tests.support.members import join
from tests.support.soak import IS_SOAK

__all__ = ["services"]

COLUMNS = """id INT NOT NULL, day DATE, v STRING, small SMALLINT, tiny TINYINT, n BIGINT, amount DECIMAL(9, 2),
    at TIMESTAMP, there TIMESTAMP_NTZ, flag BOOLEAN, f FLOAT, g DOUBLE, b BINARY, c CHAR(3),
    s STRUCT<x: INT, y: STRING>, l ARRAY<INT>, m MAP<STRING, STRUCT<q: INT>>"""
ROWS = """SELECT CAST(id AS INT),
    date_add(DATE'2024-01-01', CAST(id % 3 AS INT)), if(id % 5 = 0, NULL, concat('ä-', id)),
    CAST(id - 40 AS SMALLINT), CAST(id % 100 - 50 AS TINYINT), id * 10000000000, CAST(id * 1.25 - 60 AS DECIMAL(9, 2)),
    timestamp_seconds(id * 86399.123456 - 1000000), CAST(timestamp_seconds(id * 77777.5) AS TIMESTAMP_NTZ), id % 2 = 0,
    CAST(if(id % 11 = 0, double('NaN'), id / 4) AS FLOAT), id / 8.0D, CAST(CAST(id AS STRING) AS BINARY),
    substr(CAST(id AS STRING), 1, 3), if(id % 7 = 0, NULL, named_struct('x', CAST(id AS INT), 'y', 'y')),
    if(id % 6 = 0, NULL, array(CAST(id AS INT), NULL)),
    if(id % 4 = 0, NULL, map('k', named_struct('q', CAST(id AS INT))))
    FROM range({first}, {last})"""


EARLIER = (
    "INSERT INTO d.k VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')",
    "UPDATE d.k SET v = 'u' WHERE id = 2",
    "CREATE TAG early",
    "ALTER TABLE d.k ADD COLUMN (n INT)",
    "DELETE FROM d.k WHERE id = 3",
    "INSERT INTO d.k VALUES (5, 'e', 50)",
    "ALTER TABLE d.k RENAME COLUMN v TO w",
)


@dataclass(frozen=True, order=True)
class Seen:
    """A branch, or one version of it; with a condition only the rows for which that is true."""

    branch: str = "main"
    version: int | None = None
    condition: str = ""

    @property
    def ref(self) -> str:
        return self.branch if self.version is None else f"version:{self.version}"


@dataclass
class Engines:
    """A lake over HTTP, and what reads it."""

    lake: Lake
    server: str
    token: str
    folder: Path

    def address(self, ref: str) -> str:
        return f"{self.server}/iceberg/{self.lake.catalog}/{quote(ref, safe='')}"

    def compare(
        self, table: str, *seen: Seen, others: Sequence[Seen] = (), engines: Sequence[str] = ("duckdb", "polars")
    ) -> None:
        """PyIceberg reads at each of these what lakeui shows there. The ``engines`` read the ``others``."""
        wanted = {each: self._shown(table, each) for each in {*seen, *others}}
        for each in seen:
            found = pyiceberg_rows(self.address(each.ref), self.token, table, each.condition)
            assert counted(found, null_maps=False) == counted(wanted[each], null_maps=False), f"pyiceberg at {each}"
        asked = [(self.address(each.ref), each.condition) for each in others]
        for engine in engines if others else ():
            read = other_rows(engine, asked, self.token, table, self.folder)
            for each, found in zip(others, read, strict=True):
                assert counted(found) == counted(wanted[each]), f"{engine} at {each}"

    def _shown(self, table: str, seen: Seen) -> pa.Table:
        at = "" if seen.version is None else f" VERSION AS OF {seen.version}"
        at += f" WHERE {seen.condition}" if seen.condition else ""
        return lakeui_rows(self.lake.catalog, f"{table}{at}", seen.branch, self.folder / "lakeui.parquet")


@contextmanager
def engines_served(folder: Path) -> Iterator[Engines]:
    """A new lake, over HTTP as long as the context lasts."""
    server = make_server("127.0.0.1", 0, get_wsgi_application(), server_class=OnceServer, handler_class=Quiet)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    user = User.objects.create_user(f"engine of {lake.catalog}")
    join(user, lake.catalog)
    secret = token_create(user=user, name="engine")[1]
    try:
        yield Engines(lake, f"http://127.0.0.1:{server.server_port}", secret, folder)
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def engines(services: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    with engines_served(tmp_path_factory.mktemp("read")) as served:
        yield served


def steps(chance: Random) -> list[tuple[str, str]]:
    """A history of table d.h: what changes rows and columns on main and on branch b, in some order, and merges."""
    first = ["UPDATE d.h SET v = 'one' WHERE id % 9 = 1", "DELETE FROM d.h WHERE id % 10 = 3"]
    columns = [
        "ALTER TABLE d.h RENAME COLUMN v TO w",
        "ALTER TABLE d.h ADD COLUMN (extra INT)",
        "ALTER TABLE d.h ADD COLUMN s.z DATE",
        "ALTER TABLE d.h RENAME COLUMN s.x TO ex",
        "ALTER TABLE d.h ALTER COLUMN small TYPE INT",
        "ALTER TABLE d.h ALTER COLUMN amount TYPE DECIMAL(12, 2)",
        "ALTER TABLE d.h ALTER COLUMN f TYPE DOUBLE",
        "ALTER TABLE d.h DROP COLUMN g",
        "ALTER TABLE d.h ALTER COLUMN n AFTER id",
    ]
    rows = [
        "DELETE FROM d.h WHERE id % 13 = 5",
        "UPDATE d.h SET n = n + 1 WHERE id % 8 = 2",
        "OPTIMIZE d.h",
        "UPDATE d.h SET day = DATE'2030-05-05' WHERE id < 4",
        "DELETE FROM d.h WHERE day = DATE'2024-01-02'",
    ]
    others = columns + rows + ["ALTER TABLE d.h SET TBLPROPERTIES ('format-version' = '3')"]
    chance.shuffle(others)
    own = [("b", "INSERT INTO d.h (id, c) VALUES (900, 'b'), (901, NULL)"), ("b", "DELETE FROM d.h WHERE id = 8")]
    mixed = [*(("main", text) for text in others), *own]
    cut = chance.randrange(4)
    head = [*(("main", text) for text in first), *(("main", text) for text in others[:cut])]
    rest = [step for step in mixed if step not in head]
    chance.shuffle(rest)
    return [*head, ("main", "CREATE BRANCH b"), *rest, ("main", "MERGE BRANCH b")]


@pytest.mark.parametrize("seed", range(1, 11) if IS_SOAK else [1])
def test_engines_read_versions_of_a_random_history(engines: Engines, seed: int) -> None:
    """Each history has all steps, in an order of its own. ``make soak`` has more of them, and reads each version."""
    lake, chance = engines.lake, Random(seed)
    lake.sql(f"CREATE TABLE d.h ({COLUMNS}) PARTITIONED BY (day)")
    lake.sql("INSERT INTO d.h " + ROWS.format(first=0, last=60))
    seen = {Seen("main", lake.head())}
    kept, refused = set(seen), []
    for number, (branch, text) in enumerate(steps(chance)):
        if number % 2 or text.startswith("OPTIMIZE"):
            # What a step did is seen until files are written anew.
            kept.add(Seen(branch, lake.head(branch)))
        try:
            lake.sql(text, branch)
        except LakeError as error:
            # What another step took away is missing, or the rules refuse the merge: not what is asked here.
            refused.append(error.code)
        seen.add(Seen(branch, lake.head(branch)))
    assert len(refused) < 6
    ordered = sorted(seen, key=lambda each: each.version or 0)
    last = ordered[-1]
    # Files are left out by their bounds and by the values of their partition.
    some, few = "day < '2024-01-03' AND id > 20", "id > 20 AND id < 45 AND n > 300000000000"
    engines.compare(
        "d.h",
        *(ordered if IS_SOAK else sorted({*kept, last})),
        replace(last, condition=some),
        others=[*chance.sample(ordered[:-1], 3), last, replace(last, condition=few)],
    )
    lake.sql("DROP TABLE d.h")
    lake.sql("DROP BRANCH b")


HISTORY = [
    ("main", "INSERT INTO d.i SELECT CAST(id AS INT), 'a' FROM range(0, 20)"),
    ("main", "INSERT INTO d.i SELECT CAST(id AS INT), 'a' FROM range(20, 40)"),
    ("main", "CREATE BRANCH ids"),
    ("ids", "UPDATE d.i SET v = 'branch' WHERE id IN (3, 30)"),
    ("main", "DELETE FROM d.i WHERE id IN (5, 31)"),
    ("main", "UPDATE d.i SET v = 'main' WHERE id = 7"),
    ("main", "MERGE BRANCH ids"),
    ("ids", "MERGE BRANCH main"),
    ("ids", "INSERT INTO d.i VALUES (100, 'branch')"),
    ("main", "INSERT INTO d.i VALUES (200, 'main')"),
    ("main", "MERGE BRANCH ids"),
    ("main", "OPTIMIZE d.i"),
    ("ids", "DELETE FROM d.i WHERE id = 9"),
    ("ids", "MERGE BRANCH main"),
]


def own_row_ids(lake: Lake, branch: str) -> dict[int, int]:
    """Of each row of d.i by its column id the id of the row, out of the files."""
    snapshot = branch_snapshot(branch_get(catalog_get(lake.catalog), branch))
    table = table_get(snapshot, database_get(snapshot, "d"), "i")
    warehouse = Warehouse(settings.LAKEUI["WAREHOUSE"])
    found: dict[int, int] = {}
    for file in table_scan(snapshot, table, segments_list(snapshot, table.table_id)).files:
        keys = pq.read_table(warehouse.absolute(file.path), columns=["id"]).column("id").to_pylist()
        gone = set(deleted_positions(warehouse, file.delete_paths).tolist())
        rows = enumerate(zip(keys, stored_row_ids(warehouse, file).tolist(), strict=True))
        found |= {key: row_id for position, (key, row_id) in rows if position not in gone}
    return found


def test_engines_read_earlier_versions_by_their_number(engines: Engines) -> None:
    """Each under the columns that it had, and by its tag. No address names the version."""
    lake = engines.lake
    lake.sql("CREATE TABLE d.k (id INT, v STRING)")
    seen = []
    for text in EARLIER:
        lake.sql(text)
        if "TAG" not in text:
            seen.append(Seen("main", lake.head()))
    address = engines.address("main")
    table = load_catalog("lake", type="rest", uri=address, token=engines.token).load_table("d.k")
    shown = {each: counted(engines._shown("d.k", each)) for each in seen}
    for each in seen:
        assert counted(table.scan(snapshot_id=each.version).to_arrow()) == shown[each], each
    assert counted(table.scan().use_ref("early").to_arrow()) == shown[seen[1]]
    for each in (seen[0], seen[3], seen[-1]):
        at = f"d.k AT (VERSION => {each.version})"
        (read,) = other_rows("duckdb", [(address, "")], engines.token, at, engines.folder)
        assert counted(read) == shown[each], each
    lake.sql("DROP TAG early")
    lake.sql("DROP TABLE d.k")


LAID_ANEW = (
    "INSERT INTO d.p SELECT CAST(id AS INT), timestamp_seconds(id * 10000), concat('v', id % 5) FROM range(0, 40)",
    "ALTER TABLE d.p REPLACE PARTITION FIELD days(made) WITH bucket(4, id)",
    "INSERT INTO d.p SELECT CAST(id AS INT), timestamp_seconds(id * 10000), concat('v', id % 5) FROM range(40, 80)",
    "DELETE FROM d.p WHERE id % 7 = 3",
    "ALTER TABLE d.p ADD PARTITION FIELD truncate(1, v)",
    "INSERT INTO d.p VALUES (80, TIMESTAMP'1970-01-02 00:00:00', NULL), (81, NULL, 'w')",
)
OF_PARTITIONS = ("", "id = 41", "id = 4", "made >= '1970-01-03T00:00:00+00:00'", "v = 'w'", "v IS NULL")


@pytest.mark.parametrize("form", [2, 3] if IS_SOAK else [2])
def test_engines_read_files_of_several_partition_specs(engines: Engines, form: int) -> None:
    """At each version with conditions that leave files out, and every version by its number beside the newest."""
    lake = engines.lake
    lake.sql("CREATE TABLE d.p (id INT, made TIMESTAMP, v STRING) PARTITIONED BY (days(made))")
    lake.sql(f"ALTER TABLE d.p SET TBLPROPERTIES ('format-version' = '{form}')")
    versions = []
    for text in LAID_ANEW:
        lake.sql(text)
        versions.append(lake.head())
    asked = [Seen("main", version, condition) for version in versions[-2:] for condition in OF_PARTITIONS]
    engines.compare("d.p", *asked, others=asked, engines=["duckdb"])
    address = engines.address("main")
    table = load_catalog("lake", type="rest", uri=address, token=engines.token).load_table("d.p")
    specs = [{str(field.transform) for field in spec.fields} for spec in table.specs().values()]
    assert sorted(map(sorted, specs)) == [["bucket[4]"], ["bucket[4]", "truncate[1]"], ["day"]]
    assert {str(field.transform) for field in table.spec().fields} == {"bucket[4]", "truncate[1]"}
    for version in versions:
        shown = counted(engines._shown("d.p", Seen("main", version)))
        assert counted(table.scan(snapshot_id=version).to_arrow()) == shown
    for version in (versions[0], versions[3]):
        shown = counted(engines._shown("d.p", Seen("main", version)))
        (read,) = other_rows("duckdb", [(address, "")], engines.token, f"d.p AT (VERSION => {version})", engines.folder)
        assert counted(read) == shown
    lake.sql("DROP TABLE d.p")


def test_every_row_keeps_one_id_over_all_branches(engines: Engines) -> None:
    """DuckDB reads version 3 of the format: ids of rows, and the version of the commit that wrote each."""
    lake = engines.lake
    lake.sql("CREATE TABLE d.i (id INT, v STRING) TBLPROPERTIES ('format-version' = '3', 'merge.conflicts' = 'row')")
    seen, own, written = [], [], {}
    for branch, text in HISTORY:
        lake.sql(text, branch)
        written[text] = lake.head(branch)
        if "CREATE" not in text:
            seen.append(Seen(branch, lake.head(branch)))
            own.append(own_row_ids(lake, branch))
    asked = [(engines.address(each.ref), "") for each in seen]
    columns = "id, v, _row_id, _last_updated_sequence_number AS number"
    read = other_rows("duckdb", asked, engines.token, "d.i", engines.folder, columns=columns)
    ids: dict[int, int] = {}
    for each, mine, found in zip(seen, own, read, strict=True):
        rows = {row["id"]: row for row in found.to_pylist()}
        assert {key: row["_row_id"] for key, row in rows.items()} == mine, each
        for key, row_id in mine.items():
            assert ids.setdefault(key, row_id) == row_id, (each, key)
    assert len(set(ids.values())) == len(ids) == 42
    newest = {row["id"]: row["number"] for row in read[-1].to_pylist()}
    first, second, _, updated, _, renewed, _, _, added, *_ = (written[text] for _, text in HISTORY)
    assert (newest[3], newest[30], newest[100], newest[7]) == (updated, updated, added, renewed)
    assert {newest[key] for key in range(20) if key not in (3, 5, 7, 9)} == {first}
    assert {newest[key] for key in range(20, 40) if key not in (30, 31)} == {second}
    engines.compare("d.i", *seen, others=seen[-3:])
    lake.sql("DROP TABLE d.i")
    lake.sql("DROP BRANCH ids")


def test_a_view_is_loaded_with_its_query(engines: Engines) -> None:
    """Its SQL is of Spark, which lakeui runs on: run as a query it answers what the view answers."""
    lake = engines.lake
    lake.sql("CREATE TABLE d.w (id INT, v STRING)")
    lake.sql("INSERT INTO d.w VALUES (1, 'a{b}'), (2, NULL), (3, 'c')")
    lake.sql(
        "CREATE VIEW d.some (key COMMENT 'of w', n, s) AS WITH big AS (SELECT * FROM d.w WHERE id > 1) "
        "SELECT upper(t.v), count(*), named_struct('x', 1) FROM d.w t LEFT JOIN big ON t.id = big.id GROUP BY t.v"
    )
    lake.sql("CREATE VIEW d.over AS SELECT key, n + 1 AS more FROM d.some")
    catalog = load_catalog("lake", type="rest", uri=engines.address("main"), token=engines.token)
    assert catalog.list_views("d") == [("d", "over"), ("d", "some")]
    for name, columns in (("some", ["key", "n", "s"]), ("over", ["key", "more"])):
        metadata = catalog.load_view(f"d.{name}").metadata
        assert [field.name for field in metadata.schemas[0].fields] == columns
        (representation,) = metadata.versions[0].representations
        assert lake.rows(f"({representation.root.sql})") == lake.rows(f"d.{name}")
    for view in ("over", "some"):
        lake.sql(f"DROP VIEW d.{view}")
    lake.sql("DROP TABLE d.w")


def test_daft_reads_what_optimize_left(engines: Engines) -> None:
    """Daft 0.7 fails at files of which rows are deleted; OPTIMIZE leaves none. Names of columns come by their ids."""
    lake = engines.lake
    lake.sql(
        "CREATE TABLE d.o (id INT, day DATE, v STRING, s STRUCT<x: INT, y: STRING>) PARTITIONED BY (day)"
        " TBLPROPERTIES ('merge.conflicts' = 'row')"
    )
    lake.sql("INSERT INTO d.o SELECT id, DATE'2024-01-01', 'old', named_struct('x', id, 'y', 'a') FROM range(20)")
    before = lake.head()
    lake.sql("INSERT INTO d.o VALUES (20, NULL, NULL, NULL)")
    lake.sql("CREATE BRANCH more")
    lake.sql("ALTER TABLE d.o RENAME COLUMN v TO w", "more")
    lake.sql("UPDATE d.o SET w = 'new' WHERE id < 5", "more")
    lake.sql("DELETE FROM d.o WHERE id = 9")
    lake.sql("MERGE BRANCH more TO main")
    lake.sql("OPTIMIZE d.o")
    some = Seen(condition="w = 'new' AND id > 1")
    engines.compare("d.o", others=[Seen(), Seen(version=before), some], engines=["daft"])
    lake.sql("DROP BRANCH more")
    lake.sql("DROP TABLE d.o")


def test_version_3_shows_defaults_of_older_rows(engines: Engines) -> None:
    lake = engines.lake
    lake.sql("CREATE TABLE d.e (id INT) TBLPROPERTIES ('format-version' = '3')")
    lake.sql("INSERT INTO d.e VALUES (1), (2)")
    lake.sql("ALTER TABLE d.e ADD COLUMN (n INT DEFAULT 5, s STRING DEFAULT 'x', m DECIMAL(9, 2) DEFAULT 1.5)")
    lake.sql("INSERT INTO d.e VALUES (3, 7, NULL, 2), (4, DEFAULT, DEFAULT, DEFAULT)")
    lake.sql("DELETE FROM d.e WHERE id = 1")
    some = Seen(condition="n = 5")
    engines.compare("d.e", Seen(), some, others=[Seen(), some])
    lake.sql("DROP TABLE d.e")


REFUSED = {
    "z": [
        "CREATE BRANCH c",
        "ALTER TABLE d.r ADD COLUMN (z INT)",
        "UPDATE d.r SET z = 20 WHERE id = 2",
        "c: ALTER TABLE d.r ADD COLUMN (z INT)",
        "c: INSERT INTO d.r (id, p, z) VALUES (3, 'y', 30)",
        "MERGE BRANCH c",
    ],
    "partition": ["ALTER TABLE d.r PARTITION (p = 'x') RENAME TO PARTITION (p = 'y')"],
    "e": ["ALTER TABLE d.r ADD COLUMN (e INT DEFAULT 5)"],
    "day": ["ALTER TABLE d.r ALTER COLUMN day TYPE TIMESTAMP_NTZ"],
}


@pytest.mark.parametrize("about", REFUSED)
def test_tables_that_engines_misread_are_refused(engines: Engines, about: str) -> None:
    lake = engines.lake
    lake.sql("CREATE TABLE d.r (id INT, p STRING, day DATE) PARTITIONED BY (p)")
    lake.sql("INSERT INTO d.r VALUES (1, 'x', DATE'2024-01-01'), (2, 'x', NULL)")
    try:
        for text in REFUSED[about]:
            _, on_branch, statement = text.rpartition("c: ")
            lake.sql(statement, "c" if on_branch else "main")
        with pytest.raises(BadRequestError, match=f"(?s)UnsupportedOperationException.* {about}.*OPTIMIZE"):
            pyiceberg_rows(engines.address("main"), engines.token, "d.r")
        lake.sql("OPTIMIZE d.r")
        engines.compare("d.r", Seen())
    finally:
        lake.sql("DROP TABLE d.r")
        lake.sql("DROP BRANCH IF EXISTS c")
