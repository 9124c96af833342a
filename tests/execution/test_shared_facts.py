"""Equal facts of many objects are made once, and those that only look equal are not one."""

from __future__ import annotations

from catalog_app.domain.attribute_facts import AttributeFact
from catalog_app.domain.operations import ObjectKind
from catalog_app.selectors.attribute_pasts import Pasts
from merge_app.execution.attribute_news import _Reading
from merge_app.execution.lineage.vectors import CommitsKnown
from merge_app.lineage.facts import Fact

FIRST, SECOND = (ObjectKind.TABLE, 1), (ObjectKind.TABLE, 2)


def _read(name: str, *values: object) -> list[Fact]:
    stored = {key: {name: AttributeFact(value, 5, "set")} for key, value in zip((FIRST, SECOND), values, strict=True)}
    reading = _Reading(Pasts({5: (1, "main")}), [5], CommitsKnown({5: 1}))
    return [fact for facts in reading.side(stored, {1: 5}).values() for fact in facts.values()]


def test_one_commit_on_two_tables_is_one_fact() -> None:
    one, other = _read("property/owner", "ann", "ann")
    assert one is other


def test_defaults_that_are_equal_to_python_stay_apart() -> None:
    one, other = _read("column/1/exists", [1], [True])
    assert [type(fact.value[0]) for fact in (one, other)] == [int, bool]


def test_a_one_sided_fact_keeps_its_predecessor() -> None:
    name = "property/owner"
    before = {((FIRST, name), 1): AttributeFact("bob", 3, "set")}
    reading = _Reading(Pasts({3: (1, "main"), 5: (1, "main")}, before=before), [5], CommitsKnown({3: 1, 5: 1}))
    ((fact,),) = (
        facts.values() for facts in reading.side({FIRST: {name: AttributeFact("ann", 5, "set")}}, {1: 4}).values()
    )
    assert fact.past == ((3, "bob"),)
