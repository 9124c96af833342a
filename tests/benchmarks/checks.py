"""Fifty checks of one table, beside one aggregate scan of it, and beside pandera where that is installed."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.benchmarks.lake import Figure
from tests.benchmarks.row_merges import Tables, spark

COLUMNS = ("id", "region", "amount", "ordered_at", "ordered_on", "customer", "state", "is_gift", "weight", "quantity")
STATES = ["open", "paid", "sent", "lost"]
BOUNDS = {"region": 1000, "amount": 100_000, "quantity": 90, "weight": 40_000}
ROUNDS = 5


class Silent:
    """Progress that no one watches."""

    def step(self, name: str, detail: str = "") -> None:
        pass


def figures(*, rows: int) -> Iterator[Figure]:
    with spark() as home:
        tables = Tables(rows, home, batches_of=())
        checks = _checks()
        aggregates = ", ".join(f"min({column}), max({column})" for column in COLUMNS)
        scan, asked, read = _timed(
            lambda: tables.sql(f"SELECT count(*), {aggregates} FROM d.t"),
            lambda: _examined(tables, checks),
            lambda: _examined(tables, checks, reads_all=True),
        )
        yield Figure(f"{len(checks)} checks of {rows:,} rows, which statistics decide: s", asked)
        yield Figure(f"{len(checks)} checks of {rows:,} rows, as if statistics decided none: s", read)
        yield Figure(f"{len(checks)} checks of {rows:,} rows beside one aggregate scan: x", read / scan, at_most=1.5)
        try:
            pandera = importlib.import_module("pandera.pandas")
        except ModuleNotFoundError:
            return
        files = [str(home / "warehouse" / file) for file in tables.files("d.t")]
        peer = _pandera(pandera, files)
        yield Figure(f"{len(checks)} checks of {rows:,} rows in pandera: s", peer)
        yield Figure("the same checks beside pandera: x", asked / peer, at_most=0.1)
        yield Figure("the same checks beside pandera, as if statistics decided none: x", read / peer)


def _checks() -> list[Any]:
    """No NULL in ten columns, two lists of values, and bounds, all of which hold."""
    from lakeui.sql.check_templates import parameters_read, query_shown
    from merge_app.review.models import Check

    def check(number: int, template: str, **given: Any) -> Check:
        read = parameters_read(template, {"table": "d.t", **given})
        return Check(name=f"{number}", template=template, parameters=read, query=query_shown(template, read))

    wanted: list[tuple[str, dict[str, Any]]] = [("not_null", {"column": column}) for column in COLUMNS]
    wanted.append(("accepted_values", {"column": "state", "values": STATES}))
    wanted.append(("accepted_values", {"column": "is_gift", "values": [True, False]}))
    for step in range(38):
        column, bound = list(BOUNDS.items())[step % len(BOUNDS)]
        wanted.append(("bad_share", {"condition": f"{column} > {bound + step}"}))
    return [check(number, template, **given) for number, (template, given) in enumerate(wanted)]


def _examined(tables: Tables, checks: list[Any], *, reads_all: bool = False) -> None:
    from lakeui.frontdoor import Session
    from lakeui.frontdoor.queries.ruled_out import ruled_out
    from lakeui.tasks.checks import examine
    from merge_app.review.checking import Found, Merged

    def ask(query: str) -> Found:
        found = tables.sql(query)
        return Found(found.columns, found.rows)

    def rule_out(name: Any, conditions: Sequence[str]) -> list[bool]:
        known = ruled_out(Session(catalog=tables.catalog, branch="main"), name, conditions)
        return [False] * len(known) if reads_all else known

    examined = list(examine(checks, Merged("", 0, 0), ask=ask, rule_out=rule_out, progress=Silent()))
    assert len(examined) == len(checks)
    assert all(item.is_passed for item in examined), [item for item in examined if not item.is_passed][:1]


def _timed(*work: Callable[[], Any]) -> list[float]:
    """Medians of some rounds, by turns, after one that does not count."""
    taken: list[list[float]] = [[] for _ in work]
    for turn in range(ROUNDS + 1):
        for times, one in zip(taken, work, strict=True):
            began = time.perf_counter()
            one()
            if turn:
                times.append(time.perf_counter() - began)
    return [sorted(times)[len(times) // 2] for times in taken]


def _pandera(pandera: Any, files: list[str]) -> float:
    """Seconds to read the files and to ask the same, once."""
    import pyarrow.parquet as pq

    began = time.perf_counter()
    frame = pq.ParquetDataset(files).read(columns=list(COLUMNS)).to_pandas()
    asked: dict[str, list[Any]] = {column: [] for column in COLUMNS}
    asked["state"].append(pandera.Check.isin(STATES))
    asked["is_gift"].append(pandera.Check.isin([True, False]))
    for step in range(38):
        column, bound = list(BOUNDS.items())[step % len(BOUNDS)]
        asked[column].append(pandera.Check.le(bound + step))
    schema = pandera.DataFrameSchema({name: pandera.Column(checks=found) for name, found in asked.items()})
    schema.validate(frame, lazy=True)
    return time.perf_counter() - began
