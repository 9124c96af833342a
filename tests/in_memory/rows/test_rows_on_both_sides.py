"""What two branches did to rows of one table, and the rows and row ids that a merge leaves."""

from __future__ import annotations

from collections.abc import Iterable

from tests.support.lake import Lake
from tests.support.rows import OPTIMIZE, delete, row_ids, rows, run, set_v, three_files_create

STORIES = {
    "A1 and A3": ([set_v("B", 1), set_v("C", 1), set_v("D", 1, 2)], [set_v("M", 3), delete(3)], "1D 2D 4o 5o 6o"),
    "A2": (
        [OPTIMIZE, delete(1, 2, 3), OPTIMIZE],
        [delete(2, 3), OPTIMIZE, delete(5), OPTIMIZE],
        "4o 6o",
    ),
    "delete meets update": ([OPTIMIZE, delete(1, 2, 5)], [set_v("M", 2, 3), OPTIMIZE], "2M 3M 4o 6o"),
    "delete meets update, files as they were": ([delete(1, 2, 5), OPTIMIZE], [set_v("M", 2, 3)], "2M 3M 4o 6o"),
    "A4 and A5": (
        [
            "INSERT INTO d.t VALUES (7, 'new'), (8, 'new'), (9, 'new')",
            set_v("B", 3, 7),
            delete(4, 8),
            set_v("C", 3, 7, 9),
            OPTIMIZE,
        ],
        [delete(5), "INSERT OVERWRITE d.t VALUES (0, 'over')"],
        "0over 7C 9C",
    ),
    "updates follow compacted rows": (
        [set_v("B", 1, 4), delete(5), OPTIMIZE, set_v("C", 4)],
        [OPTIMIZE, "INSERT INTO d.t SELECT 7, 'm' WHERE false"],
        "1B 2o 3o 4C 6o",
    ),
    "compactions on both sides": (
        ["INSERT INTO d.t VALUES (7, 'b')", OPTIMIZE],
        ["INSERT INTO d.t VALUES (8, 'm')", OPTIMIZE],
        "1o 2o 3o 4o 5o 6o 7b 8m",
    ),
}
"""What the source did, what the target did, and the rows that a merge leaves."""


def test_stories_of_rows_on_both_sides(lake: Lake) -> None:
    stories_tell(lake, STORIES)


def stories_tell(lake: Lake, stories: Iterable[str]) -> None:
    """Each story has two branches of its own; row ids stay."""
    three_files_create(lake)
    before = row_ids(lake)
    for number, story in enumerate(stories):
        source, destination, left = STORIES[story]
        for branch, statements in ((f"s{number}", source), (f"d{number}", destination)):
            lake.sql(f"CREATE BRANCH {branch}")
            run(lake, branch, *statements)
        lake.merge(f"s{number}", f"d{number}")
        assert rows(lake, f"d{number}") == left, story
        after = row_ids(lake, f"d{number}")
        assert {key: row_id for key, row_id in after.items() if key in before}.items() <= before.items(), story
