"""An owner looks at a table as others see it: a preview shows what these people read, also before it is set."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group

from catalog_app.domain.roles import Role
from catalog_app.models import Catalog, GroupRole, Restriction
from tests.on_spark.queries.test_restrictions import SECRET, Reader, owner, people, restrict
from tests.support.lake import Lake

__all__ = ["owner", "people"]

EVERYTHING = "SELECT * FROM d.people"


def preview(owner: Reader, **fields: Any) -> dict[str, Any]:
    response = owner.send("post", "restrictions/preview/", {"database": "d", "table": "people", **fields})
    assert response.status_code == 200, response.content
    found: dict[str, Any] = response.json()
    return found


def rows(owner: Reader, **fields: Any) -> list[list[Any]]:
    return sorted(preview(owner, **fields)["rows"], key=repr)


@pytest.mark.parametrize("role", [Role.VIEWER, Role.CONTRIBUTOR, Role.MAINTAINER])
def test_a_preview_shows_what_a_person_of_the_role_reads(people: Lake, owner: Reader, role: Role) -> None:
    restrict(owner, role="contributor", row_filter="team = 'a'")
    restrict(owner, role="viewer", masks={"email": "left(email, 1)"})
    assert rows(owner, role=role.value) == Reader(people, role).rows(EVERYTHING)


def test_members_of_a_group_are_seen_with_the_role_of_the_group(people: Lake, owner: Reader) -> None:
    group = Group.objects.create(name="Analysts")
    GroupRole.objects.create(catalog=Catalog.objects.get(name=people.catalog), group=group, role="reviewer")
    restrict(owner, role="reviewer", masks={"email": "NULL"})
    owner.send(
        "post", "restrictions/", {"database": "d", "table": "people", "group": "Analysts", "row_filter": "x > 1"}
    )
    assert rows(owner, group="Analysts") == [[2, None, "b", 5], [3, None, "a", 2]]
    assert rows(owner, group="Analysts", role="maintainer") == [[2, SECRET, "b", 5], [3, None, "a", 2]]
    assert rows(owner, role="maintainer") == owner.rows(EVERYTHING)


def test_what_is_about_to_be_set_takes_the_place_of_what_is_set_for_these_people(people: Lake, owner: Reader) -> None:
    made = restrict(owner, role="viewer", row_filter="id = 1", masks={"email": "'mail'"})
    found = preview(owner, role="viewer", row_filter="x > 1")
    assert (sorted(row[0] for row in found["rows"]), found["restrictions"]) == ([2, 3], [made["id"]])
    assert {row[1] for row in found["rows"]} == {"mail"}
    assert rows(owner, role="viewer", masks={"email": "NULL"}) == [[1, None, "a", 1]]
    # A restriction of others still holds beside it.
    assert rows(owner, role="viewer") == [[1, "mail", "a", 1]]
    assert Restriction.objects.filter(catalog__name=people.catalog).count() == 1


def test_the_reader_and_the_branch_are_those_that_are_asked_for(people: Lake, owner: Reader) -> None:
    people.sql("CREATE BRANCH b")
    people.sql("INSERT INTO d.people VALUES (4, 'new', 'eva', 9)", "b")
    asked = {"role": "viewer", "row_filter": "team = current_user()"}
    assert rows(owner, **asked, reader="a") == [[1, SECRET, "a", 1], [3, None, "a", 2]]
    assert rows(owner, **asked, reader="eva", branch="b") == [[4, "new", "eva", 9]]
    assert rows(owner, **asked) == []
    found = preview(owner, role="viewer", limit=2)
    assert (found["row_count"], found["truncated"]) == (2, True)


def test_a_view_is_seen_with_the_restrictions_of_its_tables(people: Lake, owner: Reader) -> None:
    people.sql("CREATE VIEW d.mails AS SELECT email FROM d.people")
    restrict(owner, role="viewer", masks={"email": "NULL"})
    assert rows(owner, role="viewer", table="mails") == [[None]] * 3


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, 400),
        ({"role": "owner"}, 400),
        ({"role": "viewer", "row_filter": "nothing = 1"}, 404),
        ({"role": "viewer", "table": "nowhere"}, 404),
        ({"group": "Nobody"}, 404),
        ({"role": "viewer", "limit": 101}, 400),
    ],
)
def test_what_cannot_be_shown_is_refused(owner: Reader, fields: dict[str, Any], status: int) -> None:
    response = owner.send("post", "restrictions/preview/", {"database": "d", "table": "people", **fields})
    assert (response.status_code, response.json()["detail"] != "") == (status, True)


def test_only_owners_look(people: Lake) -> None:
    for role in (Role.VIEWER, Role.MAINTAINER):
        wanted = {"database": "d", "table": "people", "role": "viewer"}
        assert Reader(people, role).send("post", "restrictions/preview/", wanted).status_code == 403
