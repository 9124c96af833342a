"""A default that no row could store is refused where it is declared, by each statement that declares one."""

from __future__ import annotations

import pytest

from lakeui.common.errors import InvalidDefault
from tests.support.lake import Lake

NEVER = ["VARCHAR(3) DEFAULT 'abcdef'", "INT DEFAULT 'abc'", "INT DEFAULT 99999999999", "INT NOT NULL DEFAULT NULL"]


@pytest.mark.parametrize("column", NEVER)
@pytest.mark.parametrize(
    "statement", ["CREATE TABLE d.u (w {})", "CREATE OR REPLACE TABLE d.t (w {})", "ALTER TABLE d.t ADD COLUMN w {}"]
)
def test_a_column_cannot_be_declared_with_it(lake: Lake, column: str, statement: str) -> None:
    lake.sql("CREATE TABLE d.t (id BIGINT)")
    head = lake.head()
    with pytest.raises(InvalidDefault):
        lake.sql(statement.format(column))
    assert lake.head() == head


@pytest.mark.parametrize("column", NEVER)
def test_a_column_cannot_get_it_later(lake: Lake, column: str) -> None:
    kind, _, default = column.partition(" DEFAULT ")
    lake.sql(f"CREATE TABLE d.t (id BIGINT, w {kind})")
    with pytest.raises(InvalidDefault):
        lake.sql(f"ALTER TABLE d.t ALTER COLUMN w SET DEFAULT {default}")
