"""Records of the audit and entries of timelines: the database refuses to alter or delete one; where it was made to,
that is found, whichever row and column it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, models, transaction

from catalog_app.models import Catalog
from catalog_app.selectors.snapshots import catalog_get
from lakeui.common.errors import MergeConflict
from lakeui.frontdoor import Session, execute
from merge_app.audit.models import MergeAttempt
from merge_app.review.models import TimelineEntry
from merge_app.review.verification import audit_verify
from tests.review.conftest import ReviewLake

TRAILS: list[type[models.Model]] = [MergeAttempt, TimelineEntry]
OTHER_VALUES = {
    "text": "{} || 'x'",
    "bigint": "coalesce({}, 0) + 1000",
    "integer": "coalesce({}, 0) + 1000",
    "uuid": "gen_random_uuid()",
    "jsonb": """'{{"other": 1}}'""",
    "timestamp with time zone": "{} + interval '1 second'",
}
"""By type of a column: an expression that is not what stands there."""


@pytest.fixture
def catalog(db: None) -> Catalog:
    """One with records of several kinds, the last of which names no version, and a request that was talked about."""
    lake = ReviewLake()
    lake.review("bob", lake.open())
    lake.post("bob", "1/comments/", {"body": "Why?"})
    lake.write("CREATE BRANCH c", "alice")
    lake.write("MERGE BRANCH b", "alice")
    lake.write("DROP TABLE d.t", "alice")
    lake.write("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '2')", "alice", "c")
    with pytest.raises(MergeConflict):
        lake.write("MERGE BRANCH c", "alice")
    rule = {"pattern": "c", "refuse_direct_writes": True}
    assert lake.people["dora"].post(f"{lake.address}protection-rules/", rule).status_code == 201
    session = Session(lake.catalog, "c", lake.people["dora"].user, bypass_reason="the pipeline is down")
    execute("CREATE DATABASE urgent", session)
    return catalog_get(lake.catalog)


def trail(model: type[models.Model], catalog: Catalog) -> models.QuerySet[Any]:
    within = {"catalog": catalog} if model is MergeAttempt else {"request__catalog": catalog}
    return model._default_manager.filter(**within).order_by("number")


@contextmanager
def triggers_off() -> Iterator[Any]:
    """What whoever runs the database can do; it is undone."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        yield cursor
        transaction.set_rollback(True)


def alterations(model: type[models.Model]) -> dict[str, str]:
    """By column: the SET of an UPDATE that changes it."""
    kinds = {field.column: field.db_type(connection) or "" for field in model._meta.concrete_fields}
    return {column: f"{column} = {OTHER_VALUES[kind].format(column)}" for column, kind in kinds.items()}


@pytest.mark.parametrize("model", TRAILS)
def test_the_database_refuses_altering_or_deleting_any_row(catalog: Catalog, model: type[models.Model]) -> None:
    table = model._meta.db_table
    changes = [f"UPDATE {table} SET {change}" for change in alterations(model).values()]
    for text in (*changes, f"DELETE FROM {table}"):
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(text)


@pytest.mark.parametrize("model", TRAILS)
def test_every_row_that_is_deleted_is_found(catalog: Catalog, model: type[models.Model]) -> None:
    assert audit_verify(catalog) == []
    rows = trail(model, catalog)
    assert len(rows) >= 4
    for row in rows:
        with triggers_off() as cursor:
            cursor.execute(f"DELETE FROM {model._meta.db_table} WHERE {model._meta.pk.column} = %s", [row.pk])
            assert audit_verify(catalog) != [], f"row {row.number} of {len(rows)} was deleted unseen"
    with triggers_off() as cursor:
        cursor.execute(f"DELETE FROM {model._meta.db_table}")
        assert audit_verify(catalog) != [], "all rows were deleted unseen"


@pytest.mark.parametrize("model", TRAILS)
def test_every_column_that_is_altered_is_found(catalog: Catalog, model: type[models.Model]) -> None:
    last = trail(model, catalog).last()
    for column, change in alterations(model).items():
        if column == "id":
            # Nothing refers to the number of the row.
            continue
        with triggers_off() as cursor:
            text = f"UPDATE {model._meta.db_table} SET {change} WHERE {model._meta.pk.column} = %s"
            try:
                with transaction.atomic():
                    cursor.execute(text, [last.pk])
            except IntegrityError:
                # A constraint knows that it cannot be.
                continue
            assert cursor.rowcount == 1
            assert audit_verify(catalog) != [], f"{column} was altered unseen"


def test_the_command_says_so_and_fails(catalog: Catalog) -> None:
    call_command("verify_audit", catalog.name)
    with triggers_off() as cursor:
        cursor.execute("DELETE FROM merge_app_mergeattempt WHERE kind = 'bypass'")
        with pytest.raises(CommandError):
            call_command("verify_audit", catalog.name)


def test_attempts_filter_by_who_what_where_and_when(lake: ReviewLake) -> None:
    lake.write("CREATE BRANCH c", "alice")
    lake.write("MERGE BRANCH b DRY RUN", "alice")
    lake.write("MERGE BRANCH c DRY RUN", "bob")
    lake.write("MERGE BRANCH main DRY RUN", "bob", "b")

    def found(query: str) -> list[tuple[str, str, str]]:
        response = lake.people["alice"].get(f"/api/v1/merges/?catalog={lake.catalog}&{query}")
        assert response.status_code == 200, response.content
        return [(entry["source"], entry["destination"], entry["actor"]) for entry in response.json()["results"]]

    newest = [("main", "b", "bob"), ("c", "main", "bob"), ("b", "main", "alice")]
    assert found("outcome=dry+run") == newest
    assert found("outcome=refused") == []
    assert found("source=B") == [newest[2]]
    assert found("destination=main&actor=bob") == [newest[1]]
    assert found("since=2020-01-01T00:00:00Z") == newest
    assert found("until=2020-01-01T00:00:00Z") == []
    wrong = lake.people["alice"].get("/api/v1/merges/?outcome=refusde")
    assert wrong.status_code == 400
