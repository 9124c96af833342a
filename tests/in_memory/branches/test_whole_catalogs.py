"""Catalogs get other names, go, and come back with all that they held."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from catalog_app.domain.roles import Role
from catalog_app.models import Catalog
from catalog_app.services.retention import RetentionLimits, vacuum_run
from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import AlreadyExists, NotFound, PermissionDenied
from lakeui.frontdoor import Session, execute
from lakeui.frontdoor.tables.maintenance import dropped_catalogs_expire
from merge_app.audit.models import MergeAttempt
from tests.in_memory.conftest import lake
from tests.support.lake import Lake
from tests.support.members import join

__all__ = ["lake"]


@pytest.fixture
def filled(lake: Lake) -> Lake:
    """Rows on two branches that differ, and a tag."""
    lake.sql("CREATE TABLE d.t (id INT)")
    lake.sql("INSERT INTO d.t VALUES (1)")
    lake.sql("CREATE BRANCH b")
    lake.sql("INSERT INTO d.t VALUES (2)", "b")
    lake.sql("CREATE TAG first")
    return lake


def anywhere(text: str) -> Any:
    return execute(text, Session())


def as_catalog(lake: Lake, name: str) -> Lake:
    lake.catalog = name
    return lake


def dropped(name: str) -> list[str]:
    """The ids of dropped catalogs of that name, the last dropped first."""
    return [row[1] for row in anywhere("SHOW DROPPED CATALOGS").rows if row[0] == name]


def test_a_renamed_catalog_holds_what_it_held(filled: Lake) -> None:
    new = f"the other {filled.catalog}"
    assert anywhere(f"ALTER CATALOG `{filled.catalog}` RENAME TO `{new}`").extra == {"catalog": new}
    with pytest.raises(NotFound):
        filled.rows("d.t")
    renamed = as_catalog(filled, new)
    assert (renamed.rows("d.t"), renamed.rows("d.t", "b")) == ([(1,)], [(1,), (2,)])
    renamed.merge("b", "main")
    assert renamed.rows("d.t") == [(1,), (2,)]
    assert renamed.breaches() == []


def test_a_dropped_catalog_comes_back_whole(filled: Lake) -> None:
    name = filled.catalog
    anywhere(f"DROP CATALOG `{name}`")
    assert len(dropped(name)) == 1
    assert anywhere(f"UNDROP CATALOG `{name}`").extra == {"catalog": name}
    assert dropped(name) == []
    assert (filled.rows("d.t"), filled.rows("d.t", "b")) == ([(1,)], [(1,), (2,)])
    assert [row[0] for row in filled.sql("SHOW TAGS").rows] == ["first"]
    filled.merge("b", "main")
    assert filled.rows("d.t") == [(1,), (2,)]
    assert filled.breaches() == []


def test_one_of_several_namesakes_is_chosen_by_id(filled: Lake) -> None:
    name = filled.catalog
    anywhere(f"DROP CATALOG `{name}`")
    anywhere(f"CREATE CATALOG `{name}`")
    anywhere(f"DROP CATALOG `{name}`")
    ids = dropped(name)
    assert anywhere(f"UNDROP CATALOG `{name}` WITH ID '{ids[1]}' AS `old {name}`").extra == {"catalog": f"old {name}"}
    assert as_catalog(filled, f"old {name}").rows("d.t") == [(1,)]
    with pytest.raises(NotFound, match="with id"):
        anywhere(f"UNDROP CATALOG `{name}` WITH ID '{ids[1]}'")


def test_a_name_that_is_taken_is_said(filled: Lake) -> None:
    name = filled.catalog
    anywhere(f"DROP CATALOG `{name}`")
    anywhere(f"CREATE CATALOG `{name}`")
    with pytest.raises(AlreadyExists) as taken:
        anywhere(f"UNDROP CATALOG `{name}`")
    assert "AS name" in taken.value.remedy
    anywhere(f"CREATE CATALOG `spare {name}`")
    with pytest.raises(AlreadyExists):
        anywhere(f"ALTER CATALOG `spare {name}` RENAME TO `{name}`")
    with pytest.raises(NotFound, match="dropped catalog"):
        anywhere(f"UNDROP CATALOG `spare {name}`")


def test_each_of_them_is_recorded(filled: Lake) -> None:
    identity = Catalog.objects.get(name=filled.catalog).pk
    name, other = filled.catalog, f"other {filled.catalog}"
    anywhere(f"ALTER CATALOG `{name}` RENAME TO `{other}`")
    anywhere(f"DROP CATALOG `{other}`")
    anywhere(f"UNDROP CATALOG `{other}` AS `{name}`")
    records = MergeAttempt.objects.filter(catalog=identity, kind="settings").order_by("recorded_at")
    assert [(record.body["before"], record.body["after"]) for record in records] == [
        ({"name": name}, {"name": other}),
        ({"is_dropped": False}, {"is_dropped": True}),
        ({"is_dropped": True}, {"is_dropped": False}),
    ]


def test_only_owners_see_it_and_bring_it_back(filled: Lake) -> None:
    name = filled.catalog
    people = {role: User.objects.create_user(role) for role in ("owner", "maintainer", "stranger")}
    for role in ("owner", "maintainer"):
        join(people[role], name, Role(role))

    def run(who: str, text: str) -> Any:
        return execute(text, Session(user=people[who]))

    with pytest.raises(PermissionDenied):
        run("maintainer", f"ALTER CATALOG `{name}` RENAME TO mine")
    anywhere(f"DROP CATALOG `{name}`")
    assert [row[0] for row in run("maintainer", "SHOW DROPPED CATALOGS").rows] == [name]
    assert run("stranger", "SHOW DROPPED CATALOGS").rows == []
    with pytest.raises(PermissionDenied):
        run("maintainer", f"UNDROP CATALOG `{name}`")
    with pytest.raises(NotFound):
        run("stranger", f"UNDROP CATALOG `{name}`")
    run("owner", f"UNDROP CATALOG `{name}`")
    assert filled.rows("d.t") == [(1,)]


def test_expired_catalogs_lose_files_and_stay_dropped(filled: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    removed: list[str] = []
    monkeypatch.setattr(Warehouse, "remove_all", lambda _, paths: removed.extend(paths))
    name, now = filled.catalog, timezone.now()
    anywhere(f"DROP CATALOG `{name}`")
    anywhere(f"CREATE CATALOG `{name}`")
    days = timedelta(days=settings.LAKEUI["RETENTION_DAYS"])
    assert (dropped_catalogs_expire(now), removed) == (0, [])
    long_ago = now - days - timedelta(minutes=1)
    Catalog.objects.filter(name=name, dropped_at__isnull=False).update(dropped_at=long_ago)
    assert dropped_catalogs_expire(now) == len(removed) == 2
    assert dropped_catalogs_expire(now) == 0
    assert dropped(name) == []
    with pytest.raises(NotFound):
        anywhere(f"UNDROP CATALOG `{name}` AS again")


def test_a_catalog_restored_meanwhile_keeps_its_files(filled: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker found it dropped, and removes its files only after it is back."""
    monkeypatch.setattr(Warehouse, "remove_all", lambda _, paths: pytest.fail(f"{paths} are still read"))
    anywhere(f"DROP CATALOG `{filled.catalog}`")
    Catalog.objects.filter(name=filled.catalog).update(dropped_at=timezone.now() - timedelta(days=400))
    found = Catalog.objects.get(name=filled.catalog)
    anywhere(f"UNDROP CATALOG `{filled.catalog}`")
    limits = RetentionLimits(history=timezone.now() - timedelta(days=30), staged=timezone.now() - timedelta(days=1))
    assert vacuum_run(found, Warehouse(settings.LAKEUI["WAREHOUSE"]), limits, record=lambda _: None).files == ()
    assert (filled.rows("d.t"), filled.rows("d.t", "b")) == ([(1,)], [(1,), (2,)])


def test_rows_that_a_clone_reads_stay(filled: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Warehouse, "remove_all", lambda _, paths: pytest.fail(f"{paths} are still read"))
    source, copy = filled.catalog, f"kept {filled.catalog}"
    anywhere(f"CREATE CATALOG `{copy}`")
    execute("CREATE DATABASE d", Session(copy))
    execute(f"CREATE TABLE d.t CLONE `{source}`.d.t", Session(copy))
    execute(f"CREATE TABLE d.u CLONE `{source}`.d.`t@b`", Session(copy))
    anywhere(f"DROP CATALOG `{source}`")
    now = timezone.now()
    Catalog.objects.filter(name=source).update(dropped_at=now - timedelta(days=400))
    dropped_catalogs_expire(now)
    kept = as_catalog(filled, copy)
    assert (kept.rows("d.t"), kept.rows("d.u")) == ([(1,)], [(1,), (2,)])
