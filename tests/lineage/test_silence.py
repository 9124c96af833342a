"""Which changes the histories call left out in silence: what a side really changed, and no note names."""

from __future__ import annotations

import pytest

from tests.lineage.histories.silence import NothingIsSilent
from tests.lineage.histories.wide import WideHistory
from tests.lineage.test_laws import services

__all__ = ["services"]

BEGUN = (
    "CREATE DATABASE d1",
    "CREATE TABLE d1.t0 (id INT{key}, v STRING, p STRING)",
    "INSERT INTO d1.t0 VALUES (1, 'o', 'a'), (2, 'o', 'a')",
)


def begun(key: str = "") -> WideHistory:
    history = WideHistory("silence", (), [NothingIsSilent()])
    history.begin_by([text.format(key=key) for text in BEGUN], ("main", "b1"))
    return history


@pytest.mark.parametrize("key", ["", " PRIMARY KEY"])
def test_an_undone_insert_is_no_change(services: None, key: str) -> None:
    """Neither side knew the row before: a RESTORE to then comes to nothing, and needs no note (P7)."""
    history = begun(key)
    then = history.lake.head("main")
    history.run("b1", "INSERT INTO d1.t0 VALUES (5, 'source', 'a')")
    history.run("main", "INSERT INTO d1.t0 VALUES (5, 'target', 'a')")
    history.run("main", f"RESTORE TABLE d1.t0 TO VERSION AS OF {then}")
    assert not history.merge("b1", "main", 1).is_refused
    assert history.notes == []
    assert history.states["main"].tables[0].rows.keys() == {1, 2, 5}


def test_histories_ask_for_every_field_of_structs(services: None) -> None:
    """The statement was drawn before the field came. Spark refuses it too."""
    history = begun()
    history.run("main", "ALTER TABLE d1.t0 ADD COLUMN s STRUCT<a: INT>")
    texts = "ALTER TABLE d1.t0 ADD COLUMN s.b INT", "UPDATE d1.t0 SET s = named_struct('a', 1) WHERE id = 1"
    history.run("main", *texts)
    assert history.outcomes == ["INVALID_VALUE"]
