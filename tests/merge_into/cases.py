"""Cases of MERGE INTO: edge values with what answers show of them, and clauses with what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from tests.merge_into.model import Clause, Row

KEYS: dict[str, list[tuple[str, Any]]] = {
    "INT": [("NULL", None), *((str(number), number) for number in (-5, 0, 1, 2, 3, 7, 2147483647))],
    "STRING": [("NULL", None), *((f"'{text}'", text) for text in ("", "a", "A", "ä", "zz", "z" * 70, "z" * 70 + "y"))],
    "DOUBLE": [
        ("NULL", None),
        ("double('NaN')", "NaN"),
        ("-0.0D", -0.0),
        ("0.0D", 0.0),
        ("1.5D", 1.5),
        ("double('Infinity')", "Infinity"),
        ("-1e300D", -1e300),
    ],
    "DECIMAL(20,2)": [
        ("NULL", None),
        ("1.00BD", "1.00"),
        ("-1.5BD", "-1.50"),
        ("123456789012345678.99BD", "123456789012345678.99"),
        ("0.00BD", "0.00"),
    ],
    "TIMESTAMP": [
        ("NULL", None),
        ("TIMESTAMP '2026-03-29 01:30:00+00:00'", "2026-03-29T01:30:00Z"),
        ("TIMESTAMP '2026-03-29 03:30:00+02:00'", "2026-03-29T01:30:00Z"),
        ("TIMESTAMP '1969-12-31 23:59:59.999999Z'", "1969-12-31T23:59:59.999999Z"),
        ("TIMESTAMP '2400-01-01 00:00:00Z'", "2400-01-01T00:00:00Z"),
    ],
    "DATE": [("NULL", None), ("DATE '2026-02-28'", "2026-02-28"), ("DATE '1900-01-01'", "1900-01-01")],
}
"""By type: (literal, answer)."""

TEXTS: list[tuple[str, Any]] = [("NULL", None), ("'a'", "a"), ("'b'", "b"), ("''", "")]
NUMBERS: list[tuple[str, Any]] = [("NULL", None), *((f"{n}D", float(n)) for n in (-1, 0, 3)), ("-0.0D", -0.0)]
NESTED: list[tuple[str, Any]] = [
    ("NULL", None),
    ("named_struct('a', 1, 'b', array('x', NULL))", {"a": 1, "b": ["x", None]}),
    ("named_struct('a', CAST(NULL AS INT), 'b', CAST(array() AS ARRAY<STRING>))", {"a": None, "b": []}),
]
COLUMNS = ("k", "v", "n", "w")


@dataclass(frozen=True)
class Cell:
    literal: str
    answer: Any


Line = tuple[Cell, ...]


@dataclass(frozen=True)
class Case:
    """``parts`` are the target's rows by INSERT: one file each."""

    key_type: str
    parts: tuple[tuple[Line, ...], ...]
    source: tuple[Line, ...]
    clauses: tuple[Clause, ...]
    null_safe: bool

    @property
    def types(self) -> tuple[str, ...]:
        return (self.key_type, "STRING", "DOUBLE", "STRUCT<a: INT, b: ARRAY<STRING>>")

    @property
    def target(self) -> list[Row]:
        return [row for part in self.parts for row in rows_of(part)]

    def statement(self, table: str) -> str:
        operator = "<=>" if self.null_safe else "="
        whens = " ".join(f"WHEN {clause.sql}" for clause in self.clauses)
        return f"MERGE INTO {table} AS t USING d.s AS s ON t.k {operator} s.k {whens}"


def rows_of(lines: Sequence[Line]) -> list[Row]:
    return [dict(zip(COLUMNS, (cell.answer for cell in line), strict=True)) for line in lines]


def values(lines: Sequence[Line]) -> str:
    return "VALUES " + ", ".join("(" + ", ".join(cell.literal for cell in line) + ")" for line in lines)


def _less(one: Any, other: Any) -> bool | None:
    return None if one is None or other is None else bool(one < other)


def _glued(one: Any, other: Any) -> Any:
    return None if one is None or other is None else one + other


_ALL = {name: (lambda _t, s, name=name: s[name]) for name in COLUMNS}
MATCHED = (
    Clause("matched", "MATCHED AND t.n < s.n THEN UPDATE SET *", lambda t, s: _less(t["n"], s["n"]), _ALL),
    Clause("matched", "MATCHED AND s.v IS NULL THEN DELETE", lambda _t, s: s["v"] is None),
    Clause(
        "matched",
        "MATCHED AND (t.v = 'a' OR NULL) THEN UPDATE SET v = concat(t.v, s.v), n = DEFAULT",
        lambda t, _s: t["v"] == "a",
        {"v": lambda t, s: _glued(t["v"], s["v"]), "n": lambda _t, _s: 7.0},
    ),
)
NOT_MATCHED = (
    Clause("not matched", "NOT MATCHED AND s.v = 'a' THEN INSERT *", lambda _t, s: s["v"] == "a", _ALL),
    Clause(
        "not matched",
        "NOT MATCHED BY TARGET AND s.n IS NOT NULL THEN INSERT (v, k) VALUES (upper(s.v), k)",
        lambda _t, s: s["n"] is not None,
        {
            "k": lambda _t, s: s["k"],
            "v": lambda _t, s: None if s["v"] is None else s["v"].upper(),
            "n": lambda _t, _s: 7.0,
            "w": lambda _t, _s: None,
        },
    ),
)
BY_SOURCE = (
    Clause("by source", "NOT MATCHED BY SOURCE AND v = 'b' THEN DELETE", lambda t, _s: t["v"] == "b"),
    Clause(
        "by source",
        "NOT MATCHED BY SOURCE AND k IS NOT NULL THEN UPDATE SET v = 'alone'",
        lambda t, _s: t["k"] is not None,
        {"v": lambda _t, _s: "alone"},
    ),
)


def _without_condition(clause: Clause) -> Clause:
    head, _, action = clause.sql.partition(" AND ")
    return replace(clause, sql=f"{head} THEN {action.partition(' THEN ')[2]}", condition=None)


def _family(clauses: tuple[Clause, ...]) -> st.SearchStrategy[list[Clause]]:
    """Some clauses of a family in some order; the last may act on everything."""
    return st.tuples(st.lists(st.sampled_from(clauses), max_size=3, unique_by=lambda c: c.sql), st.booleans()).map(
        lambda drawn: [*drawn[0][:-1], _without_condition(drawn[0][-1])] if drawn[1] and drawn[0] else drawn[0]
    )


def _line(keys: list[tuple[str, Any]]) -> st.SearchStrategy[Line]:
    pools = (keys, TEXTS, NUMBERS, NESTED)
    return st.tuples(*(st.sampled_from(pool).map(lambda pair: Cell(*pair)) for pool in pools))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Mostly sources that are unique in the key, as anything else is refused."""
    key_type = draw(st.sampled_from(sorted(KEYS)))
    line = _line(KEYS[key_type])
    parts = tuple(tuple(draw(st.lists(line, max_size=6))) for _ in range(3))
    source = tuple(draw(st.lists(line, max_size=10)))
    if draw(st.integers(0, 4)):
        source = tuple({line[0].answer: line for line in source}.values())
    clauses = [clause for family in (MATCHED, NOT_MATCHED, BY_SOURCE) for clause in draw(_family(family))]
    return Case(key_type, parts, source, tuple(clauses or MATCHED[:1]), draw(st.booleans()))
