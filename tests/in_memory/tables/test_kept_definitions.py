"""A connection reads each definition of a schema once: a row of theirs never changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from catalog_app.selectors import definitions
from tests.support.lake import Lake


def asked(lake: Lake, text: str) -> int:
    """How often the definitions alone are asked for."""
    texts: list[str] = []

    def noted(execute: Callable[..., Any], text: str, *arguments: Any) -> Any:
        texts.append(text)
        return execute(text, *arguments)

    with connection.execute_wrapper(noted):
        lake.sql(text)
    return sum("FROM catalog_app_schemadefinition WHERE id" in made for made in texts)


@pytest.fixture
def filled(lake: Lake) -> Lake:
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("INSERT INTO d.t VALUES (1)")
    connection.close()
    return lake


def test_a_definition_is_read_once_a_connection(filled: Lake) -> None:
    assert [asked(filled, "SELECT * FROM d.t") for _ in range(2)] == [1, 0]
    filled.sql("ALTER TABLE d.t ADD COLUMN v STRING")
    filled.sql("INSERT INTO d.t VALUES (2, 'x')")
    assert [asked(filled, "SELECT * FROM d.t") for _ in range(2)] == [1, 0]
    assert filled.rows("d.t") == [(1, None), (2, "x")]
    # Whoever restores a database ends its connections.
    connection.close()
    assert asked(filled, "SELECT * FROM d.t") == 1


def test_a_connection_keeps_so_many_columns(filled: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(definitions, "MOST_COLUMNS", 3)
    filled.sql("CREATE TABLE d.wide (a INT, b INT, c INT)")
    filled.sql("INSERT INTO d.wide VALUES (1, 2, 3)")
    found: list[Any] = [asked(filled, f"SELECT * FROM d.{name}") for name in ("t", "t", "wide", "wide", "t", "wide")]
    assert found == [1, 0, 1, 0, 1, 1]
