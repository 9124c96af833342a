"""The parts that compare: they see what differs, and make small what shows it. None of them needs Spark."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal

import pyarrow as pa
import pytest

from tests.differential.answers import Done, Refused, Rows, arrow_rows, day_text, difference, rows_of
from tests.differential.binding import bound
from tests.differential.generator import Size, history
from tests.differential.kinds import Scalar
from tests.differential.reading import statement
from tests.differential.running import Difference, setup_compare
from tests.differential.shrinking import alone, smaller
from tests.differential.statements import Create, Delete, Find, History, Insert


def test_a_seed_always_makes_the_same_history() -> None:
    assert history(7) == history(7)
    assert history(7) != history(8)


@pytest.mark.parametrize("seed", range(40))
def test_every_generated_statement_is_parsed_as_written(seed: int) -> None:
    made = history(seed)
    for item in (*made.setup, *made.trials):
        assert statement(item.text).text == item.text


def test_every_form_that_histories_know_is_in_some() -> None:
    texts = [item.text for seed in range(120) for item in (*history(seed).setup, *history(seed).trials)]
    for form in (
        r"CREATE OR REPLACE TABLE d.t \(",
        r"CREATE OR REPLACE TABLE d.t AS ",
        r"WITH w AS \(.*\) INSERT",
        r"WITH w AS \(.*\) DELETE",
        r"WITH w AS \(.*\) UPDATE",
        r"DELETE .*WHERE .*\(SELECT",
        r"UPDATE .*SET .*= \(SELECT .*WHERE",
        r"MERGE .*UPDATE SET .*= \(SELECT",
        r"MERGE .*VALUES \(.*\(SELECT",
    ):
        assert any(re.match(form, text, re.DOTALL) for text in texts), form
    assert any(bound(text)[1].positional for text in texts)


def test_literals_become_markers_and_all_else_stays() -> None:
    texts = (
        rf"UPDATE d.t AS t SET s = 'a', d = DATE'2024-01-05', x = X'00', e = 'it\'s' WHERE t.k = {n}" for n in range(9)
    )
    written, parameters = next(found for found in map(bound, texts) if found[1].positional)
    assert written == r"UPDATE d.t AS t SET s = ?, d = DATE'2024-01-05', x = X'00', e = 'it\'s' WHERE t.k = ?"
    assert [type(item.value) for item in parameters.positional] == [str, int]


def test_what_is_left_out_is_in_no_history() -> None:
    size = Size(without=frozenset({"char", "altered fields", "set fields"}))
    texts = [item.text for seed in range(60) for item in (*history(seed, size).setup, *history(seed, size).trials)]
    assert not [text for text in texts if text.startswith("CREATE") and " char(" in text]
    assert not [text for text in texts if text.startswith("ALTER") and "." in text.partition("COLUMN ")[2].split()[0]]


def test_days_of_all_years_have_a_text() -> None:
    for day in (datetime.date.min, datetime.date(1582, 10, 10), datetime.date(2024, 2, 29), datetime.date.max):
        assert day_text((day - datetime.date(1970, 1, 1)).days) == day.isoformat()
    assert day_text(2_932_897) == "10000-01-01"


def test_values_of_every_kind_come_through_arrow_whole() -> None:
    table = pa.table(
        {
            "f": pa.array([float("nan"), -0.0, None]),
            "n": pa.array([Decimal("9.50"), None, Decimal("-1.00")], pa.decimal128(10, 2)),
            "t": pa.array([1, 1_000_000, None], pa.timestamp("us", tz="UTC")),
            "m": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int32())),
            "s": pa.array([{"a": [b"\xff"]}, {"a": None}, None], pa.struct({"a": pa.list_(pa.binary())})),
        }
    )
    assert [repr(row) for row in arrow_rows(table.slice(0, 3))] == [
        "['NaN', '9.50', '1970-01-01T00:00:00.000001Z', {'k': 1}, {'a': ['/w==']}]",
        "[-0.0, None, '1970-01-01T00:00:01Z', {}, {'a': None}]",
        "[None, '-1.00', None, None, None]",
    ]


SAME = rows_of([("a", "int")], [[1], [2]])
DIFFERENT = [
    (rows_of([("a", "int")], [[1]]), SAME),
    (rows_of([("a", "int")], [[1], [2], [2]]), SAME),
    (rows_of([("a", "bigint")], [[1], [2]]), SAME),
    (rows_of([("a", "double")], [[0.0]]), rows_of([("a", "double")], [[-0.0]])),
    (rows_of([("a", "int")], [[None]]), rows_of([("a", "int")], [["None"]])),
    (Refused("INVALID_VALUE", ""), SAME),
    (SAME, Refused("AnalysisException", "")),
    (Done(), Refused("AnalysisException", "")),
    (Refused("ENGINE_ERROR", "", is_failure=True), Refused("AnalysisException", "")),
]


@pytest.mark.parametrize(("ours", "theirs"), DIFFERENT)
def test_answers_that_differ_are_said_to(ours: object, theirs: object) -> None:
    assert difference(ours, theirs)  # type: ignore[arg-type]  # the list holds answers


def test_zeros_are_equal_only_where_requested() -> None:
    signed = rows_of([("a", "double")], [[-0.0, [-0.0], "-0.0x", -0.05, {"v": -0.0}]])
    assert signed.with_one_zero() == rows_of([("a", "double")], [[0.0, [0.0], "-0.0x", -0.05, {"v": 0.0}]])


class Answers:
    """A side that does every statement, and then has these rows in each table."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def run(self, _: object) -> Done:
        return Done()

    def has(self, _: str) -> bool:
        return True

    def rows(self, _: str) -> Rows:
        return self._rows


@pytest.mark.parametrize(
    ("texts", "value", "differences", "are_alike"),
    [
        (["UPDATE d.t SET a = -0.0D WHERE true"], 0.0, 0, False),
        (["UPDATE d.t SET a = -0.0D WHERE true", "DELETE FROM d.t WHERE a = 1"], 0.0, 0, False),
        (["UPDATE d.t SET a = -0.0D WHERE true"], 1.0, 1, False),
        (["DELETE FROM d.t WHERE a = 1"], 0.0, 1, False),
        (["DELETE FROM d.t WHERE a = 1"], -0.0, 0, True),
    ],
)
def test_a_signed_zero_ends_the_comparison(texts: list[str], value: float, differences: int, are_alike: bool) -> None:
    here, there = (Answers(rows_of([("a", "double")], [[cell]])) for cell in (value, -0.0))
    found, alike = setup_compare(here, there, [statement(text) for text in texts])  # type: ignore[arg-type]  # see Answers
    assert (len(found), alike) == (differences, are_alike)


def test_row_order_and_refusal_texts_do_not_matter() -> None:
    assert difference(rows_of([("a", "int")], [[2], [1]]), SAME) is None
    assert difference(Refused("INVALID_VALUE", "so"), Refused("AnalysisException", "otherwise")) is None


def test_a_history_shrinks_to_what_shows_the_difference() -> None:
    columns = tuple((name, Scalar("int")) for name in ("k", "a", "b"))
    rows = tuple((str(number), "1", "2") for number in range(8))
    large = History(
        1,
        (Create("d.t", columns), Insert("d.t", rows), Delete("d.t", "t.k = 7"), Insert("d.t", (("9", "1", "2"),))),
        (Delete("d.t", "t.a = 1"), Delete("d.t", "t.k = 2")),
        (Find("d.t", "t.a = 1"),),
    )

    def shows(candidate: History) -> Difference | None:
        """Rows 3 and the trial on ``a`` are what it takes."""
        inserted = [row[0] for item in candidate.setup if isinstance(item, Insert) for row in item.rows]
        wanted = [trial for trial in candidate.trials if "t.a" in trial.text]
        return Difference(wanted[0], "rows: differ") if wanted and "3" in inserted else None

    small, found = smaller(alone(large, Difference(large.trials[0], "rows: differ")), shows, attempts=100)
    assert found is not None
    assert [item.text for item in (*small.setup, *small.trials)] == [
        "CREATE TABLE d.t (k int, a int)",
        "INSERT INTO d.t VALUES (3, 1)",
        "DELETE FROM d.t AS t WHERE t.a = 1",
    ]
    assert small.questions == ()
