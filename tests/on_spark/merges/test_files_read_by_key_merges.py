"""A merge by key, and the rows compared before it, read files that changed and no other (semantics §3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from catalog_app.engine import plain_cells, reading
from catalog_app.selectors.snapshots import branch_get, catalog_get
from lakeui.api.compare.comparing import Pair
from lakeui.api.compare.row_comparing import sides_read
from lakeui.api.http.paging import KeysetPage
from lakeui.common.errors import LakeError
from tests.support.lake import Lake, OwnBranch
from tests.support.rows import MODES, properties

FILES = 5
OF_SOURCE, OF_BOTH, OF_DESTINATION = 4, 1, 3
"""The files in which a side changed rows."""


@dataclass(frozen=True)
class Files:
    """Table d.k, of which ``paths`` are the files of the merge base."""

    lake: Lake
    paths: list[str]

    def numbers(self, paths: set[str]) -> set[int]:
        """Which of the base's files are among these."""
        return {number for number, path in enumerate(self.paths) if path in paths}

    @contextmanager
    def without(self, numbers: set[int]) -> Iterator[None]:
        """While these files are away whoever reads one of them fails."""
        home = Path(settings.LAKEUI["WAREHOUSE"])
        moved = [(home / self.paths[number], home / f"{self.paths[number]}.away") for number in numbers]
        for here, away in moved:
            here.rename(away)
        try:
            yield
        finally:
            for here, away in moved:
                away.rename(here)


def paths_of(lake: Lake, branch: str = "main") -> list[str]:
    return [row[0] for row in lake.sql("SHOW SEGMENTS d.k", branch).rows]


@pytest.fixture(scope="module", params=MODES)
def shared(services: None, request: pytest.FixtureRequest) -> Iterator[Files]:
    """Rows changed by branch b, by main, and one row by both, in different cells; each has a new row too."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql(f"CREATE TABLE d.k (id INT PRIMARY KEY, v INT, n INT) TBLPROPERTIES ({properties(request.param)})")
    paths: list[str] = []
    for number in range(FILES):
        lake.sql(f"INSERT INTO d.k SELECT id, 0, 0 FROM range({10 * number}, {10 * number + 10}, 1, 1)")
        paths += [path for path in paths_of(lake) if path not in paths]
    assert len(paths) == FILES
    lake.sql("CREATE BRANCH b")
    lake.sql(f"UPDATE d.k SET v = 1 WHERE id = {10 * OF_BOTH}", "b")
    lake.sql(f"DELETE FROM d.k WHERE id = {10 * OF_SOURCE}", "b")
    lake.sql("INSERT INTO d.k VALUES (1001, 1, 1)", "b")
    lake.sql(f"UPDATE d.k SET n = 2 WHERE id IN ({10 * OF_BOTH}, {10 * OF_DESTINATION})")
    lake.sql("INSERT INTO d.k VALUES (1002, 2, 2)")
    yield Files(lake, paths)
    assert lake.breaches() == []


@pytest.fixture
def files(shared: Files) -> Files:
    """The same, whose main is a branch of the test's own."""
    return Files(OwnBranch(shared.lake), shared.paths)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The paths that Spark was asked to read, or that this process read rows of."""
    found: set[str] = set()
    rows_read: Callable[..., Any] = plain_cells._rows
    read_files: Callable[..., Any] = reading._read_files

    def noting(spark: Any, warehouse: Any, fields: Any, folder: str, paths: Sequence[str]) -> Any:
        found.update(paths)
        return read_files(spark, warehouse, fields, folder, paths)

    def noting_rows(warehouse: Any, part: Any, kinds: Any, most_bytes: int) -> Any:
        found.add(part.file.path)
        return rows_read(warehouse, part, kinds, most_bytes)

    monkeypatch.setattr(reading, "_read_files", noting)
    monkeypatch.setattr(plain_cells, "_rows", noting_rows)
    return found


def test_merge_by_key_reads_no_file_without_changes(files: Files, read: set[str]) -> None:
    """Files that the source alone changed come whole. Where both sides changed keys, the files of either are read."""
    lake, changed = files.lake, {OF_SOURCE, OF_BOTH, OF_DESTINATION}
    with files.without(set(range(FILES)) - changed):
        with pytest.raises(LakeError):
            lake.rows("d.k")
        read.clear()
        lake.merge("b")
        assert OF_BOTH in files.numbers(read) <= changed
    rows = {row[0]: row[1:] for row in lake.rows("d.k")}
    assert (rows[10 * OF_BOTH], rows[10 * OF_DESTINATION], rows[1001], rows[1002]) == ((1, 2), (0, 2), (1, 1), (2, 2))
    assert 10 * OF_SOURCE not in rows
    assert len(rows) == 10 * FILES - 1 + 2


def test_compared_rows_are_read_from_files_either_changed(files: Files, read: set[str]) -> None:
    catalog, changed = catalog_get(files.lake.catalog), {OF_SOURCE, OF_BOTH, OF_DESTINATION}
    (table_id,) = [int(row[2]) for row in files.lake.sql("SHOW TABLES IN d").rows]
    pair = Pair(branch_get(catalog, "b"), branch_get(catalog, files.lake.named("main")))
    with files.without(set(range(FILES)) - changed):
        read.clear()
        page = sides_read(pair, table_id, KeysetPage(100, None), only_conflicts=False)
    assert OF_BOTH in files.numbers(read) <= changed
    assert len(page["rows"]) == 5
