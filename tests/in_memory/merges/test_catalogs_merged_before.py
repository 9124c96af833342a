"""Catalogs that merged before joins were stored do not merge again: a number of their facts may name two commits."""

from __future__ import annotations

import pytest

from catalog_app.services.joins import catalogs_join
from lakeui.common.errors import NotFound, NotSupported
from tests.support.lake import Lake
from tests.support.two_catalogs import are_joined, catalog_of, join_forget, made, take


def merged_before(target: Lake, source: Lake) -> None:
    take(target, source)
    join_forget(target, source)


def refused(target: Lake, source: Lake, *, names: tuple[Lake, Lake], branch: str = "main", to: str = "main") -> None:
    """``names``: the two that the refusal names, the target of the merge before first."""
    head = target.head(to)
    with pytest.raises(NotSupported, match=f"merged {names[1].catalog} into {names[0].catalog} before") as refusal:
        take(target, source, branch, to)
    assert "CREATE TABLE … AS SELECT" in refusal.value.remedy
    assert target.head(to) == head
    assert not are_joined(target, source) or names != (target, source)


def test_either_way_is_refused(lake: Lake) -> None:
    other = made(Lake())
    merged_before(lake, other)
    other.sql("DELETE FROM e.t WHERE id = 1")
    refused(lake, other, names=(lake, other))
    refused(other, lake, names=(lake, other))
    dry = f"MERGE BRANCH {other.catalog}.main TO main DRY RUN"
    with pytest.raises(NotSupported, match=f"merged {other.catalog} into {lake.catalog} before"):
        lake.sql(dry)


def test_merges_within_a_catalog_stay_possible(lake: Lake) -> None:
    other = made(Lake())
    merged_before(lake, other)
    lake.sql("CREATE BRANCH b")
    lake.sql("UPDATE e.t SET v = 3 WHERE id = 3", "b")
    lake.sql("ALTER TABLE e.t ADD COLUMN w INT", "b")
    lake.sql("DELETE FROM e.t WHERE id = 1")
    lake.sql("MERGE BRANCH b TO main")
    assert lake.rows("e.t") == [(2, 0, None), (3, 3, None)]


def test_a_catalog_with_foreign_tables_joins_no_third(lake: Lake) -> None:
    """Its tables of the other have stamps of its own, which a third catalog would take for those of the other."""
    other, third = made(Lake()), made(Lake(), "c.z")
    merged_before(lake, other)
    refused(third, lake, names=(lake, other))
    with pytest.raises(NotFound):
        third.rows("e.t")
    take(third, other)
    assert third.rows("e.t") == [(1, 0), (2, 0), (3, 0)]


def test_a_third_catalog_does_not_join_the_two(lake: Lake) -> None:
    other, third = made(Lake()), made(Lake(), "c.z")
    lake.sql("CREATE BRANCH early")
    merged_before(lake, other)
    take(third, other)
    refused(third, lake, names=(lake, other), branch="early")
    assert not are_joined(third, lake)
    assert not are_joined(other, lake)


def test_a_join_looks_at_all_that_it_joins(lake: Lake) -> None:
    other, third = made(Lake()), made(Lake(), "c.z")
    merged_before(lake, other)
    take(third, other)
    with pytest.raises(NotSupported, match="before merges between catalogs"):
        catalogs_join(catalog_of(lake).pk, catalog_of(third).pk)
    assert not are_joined(third, lake)


def test_branches_without_these_tables_still_merge(lake: Lake) -> None:
    other, third = made(Lake()), made(Lake(), "c.z")
    made(lake, "a.x")
    lake.sql("CREATE BRANCH early")
    merged_before(lake, other)
    take(third, lake, "early")
    assert third.rows("a.x") == lake.rows("a.x")
    refused(third, lake, names=(lake, other))
    take(lake, third, to="early")
    lake.sql("MERGE BRANCH early TO main")
    lake.sql("UPDATE e.t SET v = 5 WHERE id = 1", "main")
    lake.sql("MERGE BRANCH main TO early")
    assert lake.rows("e.t") == lake.rows("e.t", "early") == [(1, 5), (2, 0), (3, 0)]
    assert lake.rows("c.z") == lake.rows("c.z", "early") == third.rows("c.z")
