"""Row filters and masks that statements set, change and lift."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group

from catalog_app.models import Restriction
from lakeui.common.errors import InvalidValue, LakeError, NotFound, PermissionDenied, RowsRestricted
from merge_app.audit.models import MergeAttempt
from tests.on_spark.queries.test_restrictions import SECRET, Reader, owner, people
from tests.support.lake import Lake

__all__ = ["owner", "people"]

FILTER = "ALTER TABLE d.people SET ROW FILTER ({}) FOR ROLE viewer"
MASK = "ALTER TABLE d.people ALTER COLUMN email SET MASK ({}) FOR ROLE viewer"


def shown(owner: Reader, of_table: str = "") -> list[tuple[str | None, ...]]:
    return [tuple(row[1:]) for row in owner.sql(f"SHOW RESTRICTIONS{of_table}").rows]


def test_filter_and_mask_are_separate_but_read_together(people: Lake, owner: Reader) -> None:
    viewer = Reader(people)
    owner.sql(FILTER.format("team = 'a' AND x > length(current_user()) - 100"))
    assert viewer.rows("SELECT id, email FROM d.people") == [[1, SECRET], [3, None]]
    owner.sql(MASK.format("concat('(', left(email, 1), ')')"))
    assert viewer.rows("SELECT id, email FROM d.people") == [[1, "(z)"], [3, None]]
    (stored,) = Restriction.objects.all()
    assert shown(owner) == shown(owner, " ON d.people")
    assert [(role, group, kind, column) for role, group, kind, column, _ in shown(owner)] == [
        ("viewer", None, "row filter", None),
        ("viewer", None, "mask", "email"),
    ]
    assert "current_user()" in str(shown(owner)[0][-1])
    owner.sql(MASK.format("NULL").replace("email", "Email"))
    assert viewer.rows("SELECT id, email FROM d.people") == [[1, None], [3, None]]
    owner.sql("ALTER TABLE d.people UNSET ROW FILTER FOR ROLE viewer")
    assert viewer.rows("SELECT id, email FROM d.people") == [[1, None], [2, None], [3, None]]
    owner.sql("ALTER TABLE d.people ALTER COLUMN email UNSET MASK FOR ROLE VIEWER")
    assert viewer.rows("SELECT email FROM d.people WHERE id < 3") == [[SECRET], [SECRET]]
    assert (shown(owner), Restriction.objects.filter(pk=stored.pk).exists()) == ([], False)
    assert MergeAttempt.objects.filter(catalog__name=people.catalog, kind="settings").count() == 5


def test_a_group_has_own_restrictions_on_every_branch(people: Lake, owner: Reader) -> None:
    group = Group.objects.create(name="Analysts of x")
    member, other = Reader(people), Reader(people)
    member.user.groups.add(group)
    people.sql("CREATE BRANCH b")
    people.sql("ALTER TABLE d.people RENAME COLUMN x TO y", "b")
    owner.sql("ALTER TABLE d.people SET ROW FILTER (y = 5) FOR GROUP `Analysts of x`", "b")
    for branch in ("main", "b"):
        assert member.rows("SELECT id FROM d.people", branch) == [[2]]
        assert other.rows("SELECT id FROM d.people", branch) == [[1], [2], [3]]
    assert shown(owner)[0][:3] == (None, "Analysts of x", "row filter")


def test_an_invalid_table_expression_is_refused_without_changes(people: Lake, owner: Reader) -> None:
    owner.sql(MASK.format("'hidden'"))
    for wrong in (FILTER.format("x + 1"), FILTER.format("x IN (SELECT 1)"), MASK.format("array(1)")):
        with pytest.raises(LakeError):
            owner.sql(wrong)
    with pytest.raises(NotFound):
        owner.sql(FILTER.format("nothing = 1"))
    with pytest.raises(NotFound):
        owner.sql("ALTER TABLE d.people ALTER COLUMN team UNSET MASK FOR ROLE viewer")
    assert [row[2:] for row in shown(owner)] == [("mask", "email", "'hidden'")]


def test_a_dry_run_hides_nothing(people: Lake, owner: Reader) -> None:
    owner.sql(FILTER.format("id = 1") + " DRY RUN")
    assert (shown(owner), Reader(people).rows("SELECT count(*) FROM d.people")) == ([], [[3]])


def test_only_owners_set_them_restricted_readers_see_none(people: Lake, owner: Reader) -> None:
    viewer = Reader(people)
    with pytest.raises(PermissionDenied):
        viewer.sql(FILTER.format("id = 1"))
    assert viewer.sql("SHOW RESTRICTIONS").rows == []
    owner.sql(FILTER.format("id = 1"))
    for text in (
        "SHOW RESTRICTIONS",
        "SHOW RESTRICTIONS ON d.people",
        "ALTER TABLE d.people UNSET ROW FILTER FOR ROLE viewer",
    ):
        with pytest.raises((RowsRestricted, PermissionDenied)):
            viewer.sql(text)
    with pytest.raises(InvalidValue):
        owner.sql(FILTER.format("id = 1").replace("viewer", "owner"))
