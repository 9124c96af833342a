"""What two branches did comes to the same whether a third had rewritten the table first or not: one of them merged the
rewrite before its own work, the other after it, together with its own work as the third branch had merged it.
"""

from __future__ import annotations

import pytest

from lakeui.common.errors import MergeConflict
from tests.support.stored_databases import Begin

REWRITES = {
    "compaction": ("OPTIMIZE d.k", 1),
    "rename": ("ALTER TABLE d.k PARTITION (p = 1) RENAME TO PARTITION (p = 7)", 7),
}
WORK = {
    "update of a row": "UPDATE d.k SET n = {value} WHERE id = 3",
    "update of all rows": "UPDATE d.k SET n = {value}",
    "move of a row": "UPDATE d.k SET p = 0 WHERE id = 3",
    "delete of a row": "DELETE FROM d.k WHERE id = 3",
    "delete of most rows": "DELETE FROM d.k WHERE id <> 2",
    "drop of the partition": "ALTER TABLE d.k DROP PARTITION (p = {name})",
    "compaction": "OPTIMIZE d.k",
}
FIRST = ("update of a row", "update of all rows", "move of a row", "delete of a row", "delete of most rows")


def _comes_to(begin: Begin, key: str, first: str, second: str, *, rewrite: str | None, is_back: bool) -> object:
    """The rows, or the codes of the refusal, of merging b to w, or w to b with ``is_back``."""
    text, name = REWRITES[rewrite] if rewrite else ("", 1)
    lake = begin(
        f"CREATE TABLE d.k (id INT {key}, v INT, n INT, p INT) PARTITIONED BY (p)",
        "INSERT INTO d.k VALUES (1, 0, 0, 1), (2, 0, 0, 0), (3, 0, 0, 1)",
        "INSERT INTO d.k VALUES (4, 0, 0, 1)",
        "MERGE BRANCH main TO b",
        "CREATE BRANCH w",
        *((text, "MERGE BRANCH main TO b") if rewrite else ()),
    )
    lake.sql(WORK[first].format(value=1, name=1), "w")
    if rewrite:
        lake.merge("w")
        lake.merge("main", "w")
    lake.sql(WORK[second].format(value=2, name=name), "b")
    source, destination = ("w", "b") if is_back else ("b", "w")
    try:
        lake.merge(source, destination)
    except MergeConflict as refusal:
        return {item["code"] for item in refusal.details["conflicts"]}
    finally:
        assert lake.breaches() == []
    return [(*row[:3], 1 if row[3] == name else row[3]) for row in lake.rows("d.k", destination)]


@pytest.mark.pairwise
@pytest.mark.parametrize("key", ["", "PRIMARY KEY"], ids=["unkeyed", "keyed"])
@pytest.mark.parametrize("is_back", [False, True], ids=["b to w", "w to b"])
@pytest.mark.parametrize("second", list(WORK))
@pytest.mark.parametrize("first", FIRST)
def test_work_ends_the_same_after_rewrite_both_know(
    begin: Begin, key: str, first: str, second: str, is_back: bool
) -> None:
    plain = _comes_to(begin, key, first, second, rewrite=None, is_back=is_back)
    for rewrite in REWRITES:
        assert _comes_to(begin, key, first, second, rewrite=rewrite, is_back=is_back) == plain, rewrite
