"""How checks are asked: those that judge row by row read a table once together, and a broken one breaks no other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from lakeui.common.errors import EngineError, InvalidValue, NotFound
from lakeui.sql.check_templates import parameters_read, query_shown
from lakeui.tasks import checks as asking
from merge_app.review.checking import Check, Examined, Found, Merged


class Steps:
    """Progress that is kept."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    def step(self, name: str, detail: str = "") -> None:
        self.steps.append(f"{name}: {detail}")


def check(template: str, table: str = "d.t", **given: Any) -> Check:
    read = parameters_read(template, {"table": table, **given})
    name = " ".join([template, table, *(str(value) for value in given.values())])
    return Check(name=name, template=template, parameters=read, query=query_shown(template, read))


def examined(
    checks: list[Check], answer: Callable[[str], list[Any]], rules_out: Callable[[str], bool] = lambda _: False
) -> tuple[dict[str, Examined], list[str]]:
    asked: list[str] = []

    def ask(query: str) -> Found:
        asked.append(query)
        return Found([("x", "int")], answer(query))

    def rule_out(_: Any, conditions: Sequence[str]) -> list[bool]:
        return list(map(rules_out, conditions))

    found = asking.examine(checks, Merged("t", 3, 7), ask=ask, rule_out=rule_out, progress=Steps())
    return {item.check.name: item for item in found}, asked


def test_checks_of_the_same_rows_are_one_query() -> None:
    checks = [check("not_null", column=f"c{number}") for number in range(50)]
    checks += [check("accepted_values", column="s", values=["a"]), check("freshness", column="at", at_most="1 hour")]
    checks += [check("not_null", "d.u", column="c"), check("not_null", column="c", rows="changed")]

    def answer(query: str) -> list[Any]:
        return [(9, *[int("IS NULL" in part) for part in query.split(" AS b")[:-1]])] if "AS b0" in query else [(1,)]

    found, asked = examined(checks, answer)
    scans = [query for query in asked if "AS b0" in query]
    assert [query.count("AS b") for query in scans] == [52, 1, 1]
    assert len(found) == len(checks)
    assert {item.is_passed for name, item in found.items() if name.startswith("not_null")} == {False}
    assert found["accepted_values d.t s ['a']"].is_passed
    assert (found["not_null d.t c7"].rows_seen, found["not_null d.t c7"].rows_bad) == (9, 1)
    assert len(asked) == 3 + 52, "one query for the rows of each that failed"


def test_what_statistics_rule_out_is_not_asked() -> None:
    checks = [check("not_null", column=name, **rows) for name in "abc" for rows in ({}, {"rows": "changed"})]
    checks.append(check("freshness", column="at", at_most="1 hour"))
    found, asked = examined(checks, lambda query: [(7, *[0] * (query.count(" AS b")))], lambda bad: "`b`" not in bad)
    assert [query.count(" AS b") for query in asked] == [2, 3]
    assert {(item.is_passed, item.rows_seen, item.rows_bad) for item in found.values()} == {(True, 7, 0)}
    found, asked = examined(checks[:1], lambda _: [(7,)], lambda _: True)
    assert asked == ["SELECT count(*) AS n FROM `d`.`t`"]


def test_a_long_list_is_several_queries() -> None:
    checks = [check("not_null", column=f"c{number}") for number in range(asking.MOST_OF_A_SCAN + 1)]
    found, asked = examined(checks, lambda query: [(0, *[0] * query.count("count_if"))])
    assert len(found) == len(checks)
    assert len(asked) == 2


def test_a_broken_check_breaks_no_other() -> None:
    def answer(query: str) -> list[Any]:
        if "gone" in query:
            raise InvalidValue("There is no column gone.")
        return [(5, *[0] * query.count("count_if"))]

    found, _ = examined([check("not_null", column=name) for name in ("a", "gone", "b")], answer)
    assert {name: item.problem for name, item in found.items()} == {
        "not_null d.t a": "",
        "not_null d.t gone": "There is no column gone.",
        "not_null d.t b": "",
    }
    assert [item.is_passed for item in found.values()] == [True, False, True]


def test_an_engine_that_ends_judges_no_data() -> None:
    def answer(query: str) -> list[Any]:
        raise EngineError("Spark has ended.")

    for wanted in (check("not_null", column="a"), check("unique", columns=["a"]), Check(name="own", query="SELECT 1")):
        with pytest.raises(EngineError):
            examined([wanted], answer)


def test_a_share_of_bad_rows_is_allowed() -> None:
    few = check("bad_share", condition="p < 0", at_most=0.1)
    assert [examined([few], lambda _, bad=bad: [(10, bad)])[0][few.name].is_passed for bad in (0, 1, 2)] == [
        True,
        True,
        False,
    ]


def test_tables_the_target_lacks_may_have_any_size() -> None:
    def answer(query: str) -> list[Any]:
        if "VERSION AS OF" in query:
            raise NotFound("table", "d.t")
        return [(7, 0)]

    count = check("row_count_change", at_least=0.9)
    found, _ = examined([count], answer)
    assert (found[count.name].is_passed, found[count.name].rows_seen) == (True, 7)


def test_only_equal_checks_have_equal_queries() -> None:
    queries = {
        check("bad_share", condition="p < 0", at_most=share, **rows).query
        for share in (0.1234567, 0.1234568)
        for rows in ({}, {"rows": "changed"})
    }
    assert len(queries) == 4
    assert check("row_count_change", at_least=0.5).query != check("row_count_change", at_least=0.6).query
