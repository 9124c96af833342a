"""What somebody reads of a table whose rows and columns are hidden from them, on Spark."""

from __future__ import annotations

import re
import secrets
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from catalog_app.domain.roles import Principal, Role
from catalog_app.models import Agent
from lakeui.access.people import group_remove
from lakeui.access.tokens import token_create
from lakeui.common.errors import InvalidValue, LakeError, RowsRestricted
from lakeui.frontdoor import Session, StatementResult, compute, execute
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.queries.queries import query_source
from lakeui.sql.parse import parse
from merge_app.jobs.context import Context
from tests.support.lake import Lake
from tests.support.members import join

SECRET = "zebra@secret.example"


class Reader:
    """Somebody with a role in the lake."""

    def __init__(self, lake: Lake, role: Role = Role.VIEWER) -> None:
        self.lake = lake
        self.user = User.objects.create_user(f"{role.value}-{secrets.token_hex(4)}")
        join(self.user, lake.catalog, role)
        self.client = Client(raise_request_exception=False)
        self.headers = {"Authorization": f"Bearer {token_create(user=self.user, name='test')[1]}"}

    def sql(self, text: str, branch: str = "main") -> StatementResult:
        return execute(text, Session(self.lake.catalog, branch, self.user))

    def rows(self, text: str, branch: str = "main") -> list[list[Any]]:
        return sorted(self.sql(text, branch).rows, key=repr)

    def send(self, method: str, path: str, body: Any = None) -> Any:
        send = getattr(self.client, method)
        given = {} if body is None else {"data": body, "content_type": "application/json"}
        return send(f"/api/v1/catalogs/{self.lake.catalog}/{path}", headers=self.headers, **given)


@pytest.fixture
def people(lake: Lake) -> Lake:
    lake.sql("CREATE TABLE d.people (id INT, email STRING, team STRING, x INT)")
    lake.sql(f"INSERT INTO d.people VALUES (1, '{SECRET}', 'a', 1), (2, '{SECRET}', 'b', 5), (3, NULL, 'a', 2)")
    return lake


@pytest.fixture
def owner(people: Lake) -> Reader:
    return Reader(people, Role.OWNER)


@pytest.fixture
def viewer(people: Lake) -> Reader:
    return Reader(people)


def restrict(owner: Reader, **fields: Any) -> dict[str, Any]:
    body = {"database": "d", "table": "people", "role": "viewer", **fields}
    response = owner.send("post", "restrictions/", body)
    assert response.status_code == 201, response.content
    made: dict[str, Any] = response.json()
    return made


MASKED = {"row_filter": "team = 'a'", "masks": {"email": "left(email, 1)"}}
SEEN = [[1, "z", "a", 1], [3, None, "a", 2]]


def test_a_select_gives_only_what_is_seen(owner: Reader, viewer: Reader) -> None:
    assert len(viewer.rows("SELECT * FROM d.people")) == 3
    restrict(owner, **MASKED)
    assert viewer.rows("SELECT * FROM d.people") == SEEN
    assert viewer.rows("SELECT count(*), max(email) FROM d.people") == [[2, "z"]]
    assert viewer.rows(f"SELECT id FROM d.people WHERE email = '{SECRET}'") == []
    assert viewer.rows("SELECT id FROM d.people WHERE team = 'b'") == []
    assert viewer.rows("WITH p AS (SELECT * FROM d.people) SELECT p.id FROM p JOIN d.people q ON p.x = q.x") == [
        [1],
        [3],
    ]
    assert viewer.rows("SELECT 1 WHERE EXISTS (SELECT 1 FROM d.people WHERE team = 'b')") == []
    assert viewer.rows("SELECT email FROM d.people TABLESAMPLE (100 PERCENT)") == [["z"], [None]]
    assert len(owner.rows("SELECT * FROM d.people")) == 3


def test_holds_on_branches_tags_versions_and_after_changes(people: Lake, owner: Reader, viewer: Reader) -> None:
    before = people.head()
    restrict(owner, **MASKED)
    people.sql("CREATE BRANCH b")
    people.sql("CREATE TAG t1 FROM main")
    assert viewer.rows("SELECT * FROM d.people", "b") == SEEN
    assert viewer.rows("SELECT * FROM d.`people@t1`") == SEEN
    assert viewer.rows(f"SELECT * FROM d.people VERSION AS OF {before}") == SEEN
    people.sql("ALTER TABLE d.people RENAME COLUMN email TO mail", "b")
    people.sql("ALTER TABLE d.people RENAME TO d.persons", "b")
    people.sql("MERGE BRANCH b TO main")
    assert viewer.rows("SELECT * FROM d.persons") == SEEN
    people.sql("DROP TABLE d.persons")
    people.sql("UNDROP TABLE d.persons")
    assert viewer.rows("SELECT * FROM d.persons") == SEEN
    people.sql(f"RESTORE TABLE d.persons TO VERSION AS OF {before}")
    assert viewer.rows("SELECT * FROM d.people") == SEEN


def test_a_replaced_table_keeps_it(people: Lake, owner: Reader, viewer: Reader) -> None:
    restrict(owner, **MASKED)
    people.sql(f"CREATE OR REPLACE TABLE d.people AS SELECT 7 AS id, '{SECRET}' AS email, 'a' AS team, 1 AS x")
    assert viewer.rows("SELECT * FROM d.people") == [[7, "z", "a", 1]]
    people.sql(f"CREATE OR REPLACE TABLE d.people AS SELECT 7 AS id, '{SECRET}' AS address, 'a' AS team")
    with pytest.raises(RowsRestricted):
        viewer.sql("SELECT * FROM d.people")


def test_a_view_is_read_as_its_reader_may(people: Lake, owner: Reader, viewer: Reader) -> None:
    people.sql("CREATE VIEW d.v AS SELECT email, count(*) AS n FROM d.people GROUP BY email")
    restrict(owner, **MASKED)
    assert viewer.rows("SELECT * FROM d.v") == [["z", 1], [None, 1]]


def test_a_filter_may_name_the_reader(people: Lake, owner: Reader, viewer: Reader) -> None:
    people.sql(f"INSERT INTO d.people VALUES (9, 'me', '{viewer.user.username}', 0)")
    restrict(owner, row_filter="team = current_user()")
    assert viewer.rows("SELECT id FROM d.people") == [[9]]


@pytest.mark.parametrize(
    "condition",
    ["1 / (p.x - 5) > 0", "assert_true(p.x <> 5) IS NULL", "element_at(array(1, 2, 3, 4), p.x) > 0"],
)
def test_a_condition_is_not_evaluated_on_hidden_rows(owner: Reader, viewer: Reader, condition: str) -> None:
    """The hidden row has x = 5, for which each condition is an error."""
    restrict(owner, row_filter="x <> 5")
    for text in (
        f"SELECT p.id FROM d.people p WHERE {condition}",
        f"SELECT p.id FROM d.people p JOIN d.people q ON {condition}",
        f"SELECT count(*) FILTER (WHERE {condition}) FROM d.people p",
        f"SELECT 1 WHERE EXISTS (SELECT 1 FROM d.people p WHERE {condition})",
    ):
        viewer.sql(text)
    with pytest.raises(LakeError):
        owner.sql(f"SELECT p.id FROM d.people p WHERE {condition}")


def test_an_error_has_no_hidden_value(owner: Reader, viewer: Reader) -> None:
    restrict(owner, masks={"x": "CAST(email AS INT)"})
    with pytest.raises(LakeError) as raised:
        viewer.sql("SELECT x FROM d.people")
    assert SECRET not in str(raised.value.as_problem())
    assert raised.value.code == "ROWS_RESTRICTED"


def test_applies_to_role_and_below_or_to_group(owner: Reader, viewer: Reader) -> None:
    contributor, reviewer = Reader(owner.lake, Role.CONTRIBUTOR), Reader(owner.lake, Role.REVIEWER)
    restrict(owner, role="contributor", **MASKED)
    assert [len(who.rows("SELECT * FROM d.people")) for who in (viewer, contributor, reviewer, owner)] == [2, 2, 3, 3]
    group = Group.objects.create(name=f"g-{secrets.token_hex(4)}")
    reviewer.user.groups.add(group)
    body = {"database": "d", "table": "people", "group": group.name, "row_filter": "x = 1"}
    assert owner.send("post", "restrictions/", body).status_code == 201
    assert len(reviewer.rows("SELECT * FROM d.people")) == 1
    viewer.user.groups.add(group)
    assert viewer.rows("SELECT * FROM d.people") == [[1, "z", "a", 1]]


def test_spark_moves_no_condition_below_the_filter(owner: Reader, viewer: Reader) -> None:
    restrict(owner, row_filter="team = 'a'")
    text = "SELECT id FROM d.people WHERE x > 4"
    statement = parse(text)
    plans = []
    for who in (owner, viewer):
        source = query_source(
            Call(Session(who.lake.catalog, user=who.user), Context(), text, keeps=True), statement.query
        )
        plans.append("\n".join(compute.engine().plan(source.text, source.tables)))
    assert [re.search(r"pushed filters .*\b4\b", plan) is not None for plan in plans] == [True, False]
    assert [plan.count("Filter:") for plan in plans] == [1, 2]


def test_an_agent_is_restricted_like_its_owner(owner: Reader, viewer: Reader) -> None:
    program = Reader(owner.lake, Role.REVIEWER)
    Agent.objects.create(user=program.user, owner=viewer.user, purpose="reads")
    restrict(owner, **MASKED)
    assert program.rows("SELECT * FROM d.people") == SEEN


def test_it_holds_in_catalogs_the_table_merges_into(people: Lake, owner: Reader) -> None:
    other = Lake()
    reader = Reader(other)
    restrict(owner, **MASKED)
    other.sql(f"MERGE BRANCH {people.catalog}.main TO main")
    assert len(other.rows("d.people")) == 3
    assert reader.rows("SELECT * FROM d.people") == SEEN
    with pytest.raises(RowsRestricted):
        reader.sql("SHOW HISTORY")


def test_it_is_changed_at_once_and_lifted(owner: Reader, viewer: Reader) -> None:
    at = f"restrictions/{restrict(owner, **MASKED)['id']}/"
    assert owner.send("patch", at, {"row_filter": ""}).json()["masks"] == {"email": "left(`email`, 1)"}
    assert len(viewer.rows("SELECT * FROM d.people")) == 3
    refused = owner.send("patch", at, {"masks": {}})
    assert (refused.status_code, refused.json()["field"]) == (400, "row_filter")
    changed = owner.send("patch", at, {"masks": {"id": "-1", "team": "current_user()"}})
    assert changed.json()["masks"] == {"id": "-1", "team": "current_user()"}
    assert viewer.rows("SELECT DISTINCT id, team FROM d.people") == [[-1, viewer.user.username]]
    viewer_asks = viewer.send("get", at)
    assert (viewer_asks.status_code, viewer_asks.json()["code"]) == (403, "ROWS_RESTRICTED")
    assert owner.send("delete", at).status_code == 204
    assert viewer.rows("SELECT * FROM d.people") == owner.rows("SELECT * FROM d.people")
    made = restrict(owner, **MASKED)
    for table_id, shown in ((made["table_id"], [made]), (made["table_id"] + 1, [])):
        assert owner.send("get", f"restrictions/?table_id={table_id}").json()["results"] == shown
    assert owner.send("delete", f"restrictions/{made['id']}/").status_code == 204
    assert viewer.send("get", "restrictions/").json()["results"] == []


@pytest.mark.parametrize(
    "fields",
    [
        {"masks": {"nothing": "NULL"}},
        {"masks": {"x": "email"}},
        {"masks": {"email": "(SELECT max(email) FROM d.people)"}},
        {"masks": {"x": "rand()"}},
        {"masks": {"email": "current_catalog()"}},
        {"masks": {"email": "NULL", "EMAIL": "'x'"}},
        {"row_filter": "email"},
        {"row_filter": "team = "},
        {"row_filter": "nothing = 1"},
        {"row_filter": "x IN (SELECT id FROM d.people)"},
        {"row_filter": "sum(x) > 1"},
        {},
        {"row_filter": "true", "group": "x"},
        {"row_filter": "true", "role": "owner"},
    ],
)
def test_what_cannot_be_kept_is_refused(owner: Reader, viewer: Reader, fields: dict[str, Any]) -> None:
    body = {"database": "d", "table": "people", "role": "viewer", **fields}
    response = owner.send("post", "restrictions/", body)
    assert response.status_code in (400, 404), response.content
    assert response.json()["code"] in (
        "INVALID_VALUE",
        "NOT_FOUND",
        "NOT_SUPPORTED",
        "SYNTAX_ERROR",
        "FORBIDDEN_STATEMENT",
    )
    assert len(viewer.rows("SELECT * FROM d.people")) == 3


def test_a_group_that_is_restricted_is_not_removed(owner: Reader) -> None:
    group = Group.objects.create(name=f"g-{secrets.token_hex(4)}")
    body = {"database": "d", "table": "people", "group": group.name, "row_filter": "x = 1"}
    assert owner.send("post", "restrictions/", body).status_code == 201
    root = Principal(owner.user.pk, "root", is_superuser=True)
    with pytest.raises(InvalidValue, match="restricted"):
        group_remove(root, group.name)


def test_two_masks_of_one_column_show_nothing(owner: Reader, viewer: Reader) -> None:
    restrict(owner, **MASKED)
    restrict(owner, role="contributor", masks={"email": "right(email, 1)"})
    assert viewer.rows("SELECT DISTINCT email FROM d.people") == [[None]]
    restrict(owner, role="reviewer", row_filter="x = 1")
    assert viewer.rows("SELECT id, email FROM d.people") == [[1, None]]
