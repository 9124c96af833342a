"""The note of a dropped column's values (C1). ``tests/stories/table_rules.toml`` has the other rules of tables."""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.domain.files import TableScan
from catalog_app.domain.row_counts import EXAMPLES_SHOWN
from lakeui.common.errors import answer_too_large
from lakeui.frontdoor import compute
from tests.support.lake import Lake


@pytest.mark.parametrize("key", ["", ", PRIMARY KEY (k)"], ids=["no key", "primary key"])
def test_c1_a_dropped_columns_changed_value_is_named(lake: Lake, key: str) -> None:
    lake.sql(f"CREATE TABLE d.t (k INT NOT NULL, a STRING, b STRING{key})")
    lake.sql("INSERT INTO d.t VALUES (1, 'a1', 'b1'), (2, 'a2', 'b2')")
    lake.sql("CREATE BRANCH f")
    lake.sql("ALTER TABLE d.t DROP COLUMN b")
    lake.sql("UPDATE d.t SET b = 'edit' WHERE k = 1", "f")
    dry = lake.sql("MERGE BRANCH f DRY RUN").extra
    result = lake.merge("f")
    for notes in (dry["notes"], result["notes"]):
        (note,) = notes
        assert (note["code"], note["details"]["rows"], note["details"]["column"]) == ("DISCARDED_VALUE", 1, "b")
        assert note["details"]["examples"][0]["b"] == "edit"
    assert lake.rows("d.t") == [(1, "a1"), (2, "a2")]


def test_c1_a_shared_value_is_not_left_out(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.t (k INT NOT NULL, a STRING, b STRING)")
    lake.sql("INSERT INTO d.t VALUES (1, 'a1', 'b1'), (2, 'a2', 'b2')")
    lake.sql("CREATE BRANCH f")
    lake.sql("CREATE BRANCH c")
    lake.sql("INSERT INTO d.t VALUES (9, 'a9', 'third')", "c")
    lake.sql("INSERT INTO d.t VALUES (3, 'a3', 'b3')")
    lake.merge("main", "f")
    lake.merge("c", "f")
    lake.merge("c")
    lake.sql("ALTER TABLE d.t DROP COLUMN b")
    lake.sql("UPDATE d.t SET b = 'edit' WHERE k = 1", "f")
    lake.sql("INSERT INTO d.t VALUES (4, 'a4', 'b4'), (5, 'a5', NULL)", "f")
    lake.sql("INSERT INTO d.t VALUES (6, 'a6', 'b6'), (7, 'a7', 'b7')", "f")
    lake.sql("DELETE FROM d.t WHERE k = 6", "f")
    (note,) = lake.merge("f")["notes"]
    assert (note["code"], note["details"]["rows"], note["details"]["column"]) == ("DISCARDED_VALUE", 3, "b")
    assert [item["b"] for item in note["details"]["examples"]] == ["edit", "b4", "b7"]


def test_c1_long_dropped_values_are_read_in_parts(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.sql("CREATE TABLE d.t (k INT NOT NULL, b STRING)")
    values = ", ".join(f"({k}, 'b')" for k in range(3 * EXAMPLES_SHOWN))
    lake.sql(f"INSERT INTO d.t VALUES {values}")
    lake.sql("CREATE BRANCH f")
    lake.sql("ALTER TABLE d.t DROP COLUMN b")
    lake.sql("UPDATE d.t SET b = 'edit'", "f")
    real = compute.engine().cells_show

    def few(scan: TableScan, addresses: Any, **options: bool) -> list[list[Any]]:
        if len(addresses) > EXAMPLES_SHOWN:
            raise answer_too_large(1)
        return real(scan, addresses, **options)

    monkeypatch.setattr(compute.engine(), "cells_show", few)
    (note,) = lake.merge("f")["notes"]
    assert (note["code"], note["details"]["rows"]) == ("DISCARDED_VALUE", 3 * EXAMPLES_SHOWN)
