"""Random histories of tables that are laid by transforms: they merge as the same tables that are not, and each file is
true of its rows, whoever wrote, compacted or merged them.
"""

from __future__ import annotations

import pytest

from catalog_app.domain.transforms import transform_value
from catalog_app.models import DataFile
from catalog_app.selectors.segments import layout_read
from catalog_app.selectors.snapshots import catalog_get
from lakeui.common.errors import LakeError
from tests.stories.test_three_branch_histories import NAMES, Branches, Row, Step, failure, history, keep_the_laws
from tests.support.lake import Lake
from tests.support.memory_engine import MemoryEngine
from tests.support.soak import IS_SOAK

LAID = "PARTITIONED BY (p, bucket(2, v), truncate(2, id))"
OTHER = "bucket(3, n)"


class LaidBranches(Branches):
    def make_table(self) -> None:
        self.lake.sql(f"CREATE TABLE d.k (id INT PRIMARY KEY, v INT, n INT, p INT) {LAID}")
        self.lake.sql("INSERT INTO d.k VALUES (1, 0, 0, 1), (2, 0, 0, 0), (3, 0, 0, 1)")


class ChangingBranches(LaidBranches):
    """Branches that lay their new files otherwise now and then, each by itself."""

    def take(self, step: Step) -> None:
        if step[0] in ("set", "insert") and step[3]:
            word = "DROP" if OTHER.replace("n", "`n`") in layout(self.lake, step[1]) else "ADD"
            self.lake.sql(f"ALTER TABLE d.k {word} PARTITION FIELD {OTHER}", step[1])
        super().take(step)


def layout(lake: Lake, branch: str) -> str:
    return next(str(row[1]) for row in lake.sql("DESCRIBE EXTENDED d.k", branch).rows if row[0] == "Partitioned By")


def rows_laid_wrongly(lake: Lake, engine: MemoryEngine) -> list[str]:
    """Files of which a row is not as their layout says."""
    contents, found = engine.contents()[0], []
    for file in DataFile.objects.filter(table__catalog=catalog_get(lake.catalog)):
        for laid in layout_read(file.layout):
            one = laid.transform
            values = {transform_value(one, laid.type, row[one.column_id]) for row in contents[file.path].rows}
            found += [f"{file.path}: {laid}"] if values != {laid.value} else []
    return found


def played(steps: list[Step], kind: type[Branches], engine: MemoryEngine) -> tuple[list[str], list[dict[int, Row]]]:
    """What became of each step, and the rows of all branches at the end. Laws that both tables break alike are asked of
    the other histories.
    """
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql("CREATE BRANCH b")
    branches = kind(lake)
    ends: list[str] = []
    for step in steps:
        try:
            branches.take(step)
            ends.append("")
        except (LakeError, AssertionError) as end:
            ends.append(type(end).__name__)
    assert rows_laid_wrongly(lake, engine) == []
    assert lake.breaches() == []
    return ends, [branches.rows(name) for name in NAMES]


@pytest.mark.parametrize("number", range(1000, 1300) if IS_SOAK else (1000, 1001, 1002, 1005, 1007))
def test_laid_table_merges_like_one_that_is_not(database: None, memory_engine: MemoryEngine, number: int) -> None:
    steps = list(history(number))
    assert played(steps, LaidBranches, memory_engine) == played(steps, Branches, memory_engine)


@pytest.mark.parametrize("number", range(1300, 1600) if IS_SOAK else (1300, 1301, 1302, 1304, 1305, 1306))
def test_branches_that_change_their_layout_keep_the_laws(
    database: None, memory_engine: MemoryEngine, number: int
) -> None:
    keep_the_laws(number, ChangingBranches)
    if not IS_SOAK:
        played(list(history(number)), ChangingBranches, memory_engine)


def test_the_files_of_a_history_say_something(database: None, memory_engine: MemoryEngine) -> None:
    assert failure(list(history(1000)), LaidBranches) is None
    assert sum(bool(layout) for layout in DataFile.objects.values_list("layout", flat=True)) > 5
