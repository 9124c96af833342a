"""docs/reference/table-properties.md, made of the properties that lakeui reads."""

from __future__ import annotations

from collections.abc import Iterator

from catalog_app.domain.table_properties import (
    COLUMN_MERGES,
    DISTRIBUTION_MODE,
    FORMAT_VERSION,
    KNOWN,
    MERGE_COLUMN,
    MERGE_CONFLICTS,
)
from lakeui.reference.markdown import code, page, table

HEAD = """# Table properties

`TBLPROPERTIES` of a table may hold any names. Names that begin with `write.` or `merge.` are lakeui's: one that means
nothing, or a value that cannot be, is refused.

```sql
CREATE TABLE d.numbers (id INT, n INT) TBLPROPERTIES ('write.update.mode' = 'copy-on-write');
ALTER TABLE d.numbers SET TBLPROPERTIES ('merge.conflicts' = 'cell', 'merge.column.n' = 'sum');
```
"""
DOES = {
    "write.delete.mode": "how DELETE writes: files of deleted positions, or files written again without the rows",
    "write.merge.mode": "the same of MERGE INTO",
    "write.update.mode": "the same of UPDATE",
    DISTRIBUTION_MODE: "whether a write of many rows orders them by `CLUSTER BY`: `none` leaves that to OPTIMIZE",
    FORMAT_VERSION: "the version of Iceberg in which [other engines](../howto/other-engines.md) read the table",
    MERGE_CONFLICTS: "what two changes have to share to be a conflict, in a table without a primary key: "
    "[what counts as a conflict](../internals/merge.md#what-counts-as-a-conflict). "
    "The catalog has a value for its tables",
}
_COLUMN = (
    "what becomes of cells that source and target changed: the sum of both changes, or the elements of both arrays"
)


def properties_page() -> str:
    return page(_lines())


def _lines() -> Iterator[str]:
    yield HEAD
    names = {**KNOWN, f"{MERGE_COLUMN}<column>": COLUMN_MERGES}
    yield from table(
        ["property", "values", "what it does"],
        ([code(name), ", ".join(map(code, values)), DOES.get(name, _COLUMN)] for name, values in names.items()),
    )
    yield "`write.layout`, `write.clustering` and `write.check.<name>` hold what `PARTITION BY`, `CLUSTER BY` and"
    yield "`ADD CONSTRAINT` say. Statements set them; `SET TBLPROPERTIES` does not."
