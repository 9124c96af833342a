"""Reading a table with deleted rows, and merging branches of a table with a primary key: 11 columns, 20 files.

Both are read by whole scans: what a scan with position deletes costs is compared with one of the same table without,
by turns.
"""

from __future__ import annotations

import secrets
import statistics
import time
from collections.abc import Iterator
from typing import Any

from tests.benchmarks.lake import Figure, paired, peak_forget, peak_memory
from tests.benchmarks.row_merges import COLUMNS, FILES, Tables, spark

ROUNDS = 5
MERGES = 3
WIDE = 40
NAMES = "id, region, amount, ordered_at, ordered_on, customer, state, is_gift, weight, quantity, reference"
KEYED = """id BIGINT PRIMARY KEY, region INT, amount DECIMAL(12, 2), ordered_at TIMESTAMP, ordered_on DATE,
    customer STRING, state STRING, is_gift BOOLEAN, weight DOUBLE, quantity INT, reference STRING"""


def figures(*, rows: int) -> Iterator[Figure]:
    with spark() as home:
        tables = Tables(rows, home, batches_of=())
        yield from _scans(tables, rows)
        yield from _branch_merges(tables, rows)
        yield from _pages(tables, rows)
        yield from _wide_merges(tables)


def _scans(tables: Tables, rows: int) -> Iterator[Figure]:
    """1% of the rows deleted: all of them in one file, and spread over all."""
    per_file = rows // FILES
    everything = f"SELECT max(struct({NAMES})), count(*) FROM d.t"
    deleted = {
        "in one file": (f"id >= {per_file} AND id < {2 * per_file} AND id % 5 = 0", 1.15),
        "in all files": ("id % 100 = 0", 2.0),
    }
    for what, (condition, at_most) in deleted.items():
        branch = f"deleted_{secrets.token_hex(4)}"
        tables.sql(f"CREATE BRANCH {branch}")
        assert tables.sql(f"DELETE FROM d.t WHERE {condition}", branch).metrics["rows_deleted"] == rows // 100
        with_deletes, without = paired(
            lambda branch=branch: tables.sql(everything, branch), lambda: tables.sql(everything), rounds=ROUNDS
        )
        yield Figure(f"scan of {rows:,} rows: seconds", without)
        yield Figure(f"scan with 1% deleted {what} / without", with_deletes / without, at_most=at_most)


def _branch_merges(tables: Tables, rows: int) -> Iterator[Figure]:
    """1% of the rows changed on each side, half of them the same rows in different cells."""
    tables.sql(f"CREATE TABLE d.k ({KEYED})")
    for first in range(0, rows, rows // FILES):
        tables.sql(f"INSERT INTO d.k SELECT {COLUMNS} FROM range({first}, {first + rows // FILES}, 1, 1)")
    seconds, grown = zip(*[_branch_merge(tables, rows) for _ in range(1 + MERGES)][1:], strict=True)
    changed = rows // 100
    what = f"keyed branch merge, {changed:,} x {changed:,} in {rows:,}"
    yield Figure(f"{what}: s", statistics.median(seconds), at_most=2)
    yield Figure(f"{what}: MB at its peak above what the process had before", max(grown), at_most=300)


def _pages(tables: Tables, rows: int) -> Iterator[Figure]:
    """1% of the rows changed on each side, every second of them to something else: pages, conflicts first."""
    from catalog_app.domain.row_merge import Behind
    from catalog_app.selectors.snapshots import branch_get, catalog_get
    from lakeui.frontdoor import compute
    from merge_app.comparison.compared_rows import row_pages

    branches = [f"{side}_{secrets.token_hex(4)}" for side in ("source", "destination")]
    is_clash = "id % 200 = 0"
    changes = (
        "weight = weight + 1",
        f"weight = weight + if({is_clash}, 2, 0), quantity = quantity + if({is_clash}, 0, 1)",
    )
    for branch, change in zip(branches, changes, strict=True):
        tables.sql(f"CREATE BRANCH {branch}")
        tables.sql(f"UPDATE d.k SET {change} WHERE id % 100 = 0", branch)
    catalog = catalog_get(tables.catalog)
    (table_id,) = [int(row[2]) for row in tables.sql("SHOW TABLES IN d").rows if row[1] == "k"]
    source, target = (branch_get(catalog, name) for name in branches)

    def page(behind: Behind | None, *, only_conflicts: bool = False) -> tuple[float, list[Any]]:
        began = time.perf_counter()
        pages = row_pages(source, target, table_id, (), compute.engine, only_conflicts=only_conflicts)
        found = pages.page(limit=100, behind=behind)
        assert len(found.rows) == 100
        return time.perf_counter() - began, found.rows

    conflicts, firsts, laters = [], [], []
    for _ in range(1 + MERGES):
        conflicts.append(page(None, only_conflicts=True)[0])
        taken, found = page(None)
        assert all(row.is_conflict for row in found), "conflicts come first"
        firsts.append(taken)
        taken, found = page(Behind(True, found[-1].key))
        laters.append(taken)
    assert not any(row.is_conflict for row in page(Behind(True, "~"))[1]), "behind the conflicts come the others"
    what = f"page of {rows // 100:,} x {rows // 100:,} changed rows in {rows:,}, half in conflict: s"
    yield Figure(f"first {what}, conflicts alone", statistics.median(conflicts[1:]))
    yield Figure(f"first {what}", statistics.median(firsts[1:]))
    yield Figure(f"next {what}", statistics.median(laters[1:]))


def _wide_merges(tables: Tables) -> Iterator[Figure]:
    """Few rows changed on each side of a table of many columns: what planning costs beside reading."""
    kinds = ("INT", "STRING", "DOUBLE", "DECIMAL(12, 2)", "BIGINT")
    columns = [f"c{number} {kinds[number % len(kinds)]}" for number in range(WIDE - 1)]
    values = [f"CAST(id % 1000 AS {kinds[number % len(kinds)]})" for number in range(WIDE - 1)]
    tables.sql(f"CREATE TABLE d.w (id BIGINT PRIMARY KEY, {', '.join(columns)})")
    tables.sql(f"INSERT INTO d.w SELECT id, {', '.join(values)} FROM range(20000)")
    planned, merged = [], []
    for _ in range(1 + MERGES):
        source, destination = (f"{side}_{secrets.token_hex(4)}" for side in ("source", "destination"))
        for branch, column in ((source, "c0"), (destination, "c2")):
            tables.sql(f"CREATE BRANCH {branch}")
            tables.sql(f"UPDATE d.w SET {column} = {column} + 1 WHERE id % 200 = 0", branch)
        began = time.perf_counter()
        tables.sql(f"MERGE BRANCH {source} TO {destination} DRY RUN")
        planned.append(time.perf_counter() - began)
        tables.sql(f"MERGE BRANCH {source} TO {destination}")
        merged.append(time.perf_counter() - began - planned[-1])
    yield Figure(f"keyed branch merge of {WIDE} columns, 100 x 100 rows: plan, s", statistics.median(planned[1:]))
    yield Figure(f"keyed branch merge of {WIDE} columns, 100 x 100 rows: s", statistics.median(merged[1:]))


def _branch_merge(tables: Tables, rows: int) -> tuple[float, float]:
    """Seconds and MB of one merge between two fresh branches, plan and commit included."""
    source, destination = (f"{side}_{secrets.token_hex(4)}" for side in ("source", "destination"))
    for branch, change in (
        (source, "weight = weight + 1 WHERE id % 100 = 0"),
        (destination, "quantity = quantity + 1 WHERE id % 200 = 0 OR id % 200 = 50"),
    ):
        tables.sql(f"CREATE BRANCH {branch}")
        assert tables.sql(f"UPDATE d.k SET {change}", branch).metrics["rows_updated"] == rows // 100
    before, began = peak_forget(), time.perf_counter()
    merged = tables.sql(f"MERGE BRANCH {source} TO {destination}").extra
    taken = time.perf_counter() - began
    assert merged["outcome"] == "merged"
    return taken, (peak_memory() - before) / 1e6
