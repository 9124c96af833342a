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
def test_a_preview_shows_what_the_role_reads(people: Lake, owner: Reader, role: Role) -> None:
    restrict(owner, role="contributor", row_filter="team = 'a'")
    restrict(owner, role="viewer", masks={"email": "left(email, 1)"})
    assert rows(owner, role=role.value) == Reader(people, role).rows(EVERYTHING)


def test_group_members_are_seen_with_the_groups_role(people: Lake, owner: Reader) -> None:
    group = Group.objects.create(name="Analysts")
    GroupRole.objects.create(catalog=Catalog.objects.get(name=people.catalog), group=group, role="reviewer")
    restrict(owner, role="reviewer", masks={"email": "NULL"})
    owner.send(
        "post", "restrictions/", {"database": "d", "table": "people", "group": "Analysts", "row_filter": "x > 1"}
    )
    assert rows(owner, group="Analysts") == [[2, None, "b", 5], [3, None, "a", 2]]
    assert rows(owner, group="Analysts", role="maintainer") == [[2, SECRET, "b", 5], [3, None, "a", 2]]
    assert rows(owner, role="maintainer") == owner.rows(EVERYTHING)


def test_a_previewed_restriction_replaces_these_peoples_current_one(people: Lake, owner: Reader) -> None:
    made = restrict(owner, role="viewer", row_filter="id = 1", masks={"email": "'mail'"})
    found = preview(owner, role="viewer", row_filter="x > 1")
    assert (sorted(row[0] for row in found["rows"]), found["restrictions"]) == ([2, 3], [made["id"]])
    assert {row[1] for row in found["rows"]} == {"mail"}
    assert rows(owner, role="viewer", masks={"email": "NULL"}) == [[1, None, "a", 1]]
    # A restriction of others still holds beside it.
    assert rows(owner, role="viewer") == [[1, "mail", "a", 1]]
    assert Restriction.objects.filter(catalog__name=people.catalog).count() == 1


def test_preview_uses_the_reader_and_branch_asked_for(people: Lake, owner: Reader) -> None:
    people.sql("CREATE BRANCH b")
    people.sql("INSERT INTO d.people VALUES (4, 'new', 'eva', 9)", "b")
    asked = {"role": "viewer", "row_filter": "team = current_user()"}
    assert rows(owner, **asked, reader="a") == [[1, SECRET, "a", 1], [3, None, "a", 2]]
    assert rows(owner, **asked, reader="eva", branch="b") == [[4, "new", "eva", 9]]
    assert rows(owner, **asked) == []
    found = preview(owner, role="viewer", limit=2)
    assert (found["row_count"], found["truncated"]) == (2, True)


def test_a_renamed_table_is_found_by_its_id(people: Lake, owner: Reader) -> None:
    made = restrict(owner, role="viewer", row_filter="team = 'a'", masks={"email": "NULL"})
    assert (made["table"], made["table_now"]) == ("d.people", "d.people")
    people.sql("ALTER TABLE d.people RENAME TO d.staff")
    assert owner.send("get", f"restrictions/{made['id']}/").json()["table_now"] == "d.staff"
    asked = {"table_id": made["table_id"], "role": "viewer"}
    found = owner.send("post", "restrictions/preview/", asked).json()
    assert (found["table"], found["table_rows"], found["masked"]) == ("d.staff", 3, ["email"])
    assert sorted(found["rows"]) == [[1, None, "a", 1], [3, None, "a", 2]]
    tried = owner.send("post", "restrictions/preview/", {**asked, "row_filter": "x > 4"}).json()
    assert tried["rows"] == [[2, None, "b", 5]]


def test_a_table_missing_from_main_is_refused_unnamed(people: Lake, owner: Reader) -> None:
    made = restrict(owner, role="viewer", row_filter="team = 'a'")
    people.sql("DROP TABLE d.people")
    [listed] = owner.send("get", "restrictions/").json()["results"]
    assert (listed["table"], listed["table_now"]) == ("d.people", None)
    refused = owner.send("post", "restrictions/preview/", {"table_id": made["table_id"], "role": "viewer"})
    assert (refused.status_code, refused.json()["code"]) == (404, "NOT_FOUND")


def test_a_preview_distinguishes_empty_tables_from_hidden_rows(people: Lake, owner: Reader) -> None:
    people.sql("CREATE TABLE d.empty (id INT)")
    hidden = preview(owner, role="viewer", row_filter="x > 99")
    assert (hidden["rows"], hidden["table_rows"], hidden["masked"]) == ([], 3, [])
    empty = preview(owner, role="viewer", table="empty", row_filter="id > 0")
    assert (empty["rows"], empty["table_rows"]) == ([], 0)


@pytest.mark.parametrize(
    "place", [{}, {"database": "d"}, {"database": "d", "table": "people", "table_id": 1}, {"table": "people"}]
)
def test_a_preview_takes_one_way_to_name_tables(owner: Reader, place: dict[str, Any]) -> None:
    response = owner.send("post", "restrictions/preview/", {"role": "viewer", **place})
    assert (response.status_code, response.json()["code"], response.json()["field"]) == (400, "INVALID_VALUE", "table")


def test_a_view_is_seen_with_its_tables_restrictions(people: Lake, owner: Reader) -> None:
    people.sql("CREATE VIEW d.mails AS SELECT email FROM d.people")
    restrict(owner, role="viewer", masks={"email": "NULL"})
    found = preview(owner, role="viewer", table="mails")
    assert (found["rows"], found["table"], found["table_rows"]) == ([[None]] * 3, "d.mails", None)


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
