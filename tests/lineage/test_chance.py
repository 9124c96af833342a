"""What random histories draw: every kind of statement, and only what the parser reads."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

from catalog_app.domain.checks import check_key
from catalog_app.domain.schema import Column
from tests.lineage.histories.chance import THEMES, statement_by_chance, table_created
from tests.lineage.histories.chance_wide import Elsewhere, wide_statement
from tests.lineage.histories.states import Shown, State

COLUMNS = {
    number: Column(id=number, name=name, type=kind)
    for number, (name, kind) in enumerate(
        {
            "id": "int", "v": "string", "w": "string", "n": "int", "tags": "array<string>",
            "s": "struct<a:int,b:string>", "p": "string", "c1": "int",
        }.items()
    )
}  # fmt: skip
KINDS = (
    "INSERT INTO", "INSERT OVERWRITE", "UPDATE", "DELETE FROM", "MERGE INTO", "TRUNCATE TABLE", "ADD PARTITION",
    "DROP PARTITION", "RENAME TO PARTITION", "ADD COLUMN c", "ADD COLUMN s.", "RENAME COLUMN", "RENAME COLUMN s.",
    "CREATE OR REPLACE TABLE", "DROP COLUMN", "DROP COLUMN s.", "TYPE BIGINT", "SET DEFAULT", "SET NOT NULL",
    "SET TBLPROPERTIES", "UNSET TBLPROPERTIES", "RENAME TO", "DROP TABLE", "CREATE TABLE", "UNDROP TABLE",
    "DROP DATABASE", "CREATE DATABASE", "SET DBPROPERTIES", "SET id =",
)  # fmt: skip


WIDE = (
    "CREATE OR REPLACE TABLE", "AS SELECT", "ADD CONSTRAINT", "DROP CONSTRAINT", "ADD PARTITION FIELD",
    "DROP PARTITION FIELD", "REPLACE PARTITION FIELD", " CLONE ", " LIKE ", "VERSION AS OF", "REPLACE WHERE",
)  # fmt: skip


def shown(*, is_keyed: bool) -> Shown:
    cells = {0: 1, 1: "o", 2: "o", 3: 0, 4: [], 5: None, 6: "a", 7: 1}
    rows = {i: {**cells, 0: i} for i in range(1, 5)}
    return Shown("d1", "t", "", {"x": "1"}, COLUMNS, is_keyed, True, frozenset("ab"), rows)


def test_every_kind_of_statement_is_drawn() -> None:
    state = State({"d1": {"x": "1"}}, {0: shown(is_keyed=True), 1: shown(is_keyed=False)}, (("TABLE", "d1.gone"),))
    found: Counter[str] = Counter()
    for number in range(4000):
        rng = Random(number)
        text = statement_by_chance(rng, state, f"s{number}", rng.choice(list(THEMES)))
        found.update(kind for kind in KINDS if text and kind in text)
    assert set(KINDS) == found.keys()


def test_every_kind_of_wide_statement_is_drawn() -> None:
    checked = replace(shown(is_keyed=True), properties={check_key("k"): "v <> 'x'"})
    state = State({"d1": {"x": "1"}}, {0: checked, 1: shown(is_keyed=False)}, ())
    elsewhere = Elsewhere({"main": state, "b": state}, [1, 2, 3])
    found: Counter[str] = Counter()
    for number in range(4000):
        text = wide_statement(Random(number), state, f"s{number}", elsewhere)
        found.update(kind for kind in WIDE if text and kind in text)
    assert set(WIDE) == found.keys()


def test_tables_are_of_every_kind() -> None:
    drawn = {table_created(Random(number), "d1.t").partition("(")[2] for number in range(300)}
    wanted = ("PRIMARY KEY", "PARTITIONED", "'file'", "'row'", "'cell'", "'sum'", "'union'")
    for text in wanted:
        assert any(text in item for item in drawn), text
        assert not all(text in item for item in drawn), text
