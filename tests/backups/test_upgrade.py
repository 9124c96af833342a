"""``lakeui upgrade``: says what it does, waits for another one, and refuses what a newer version has written."""

from __future__ import annotations

import threading

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from lakeui.common.errors import InvalidValue
from lakeui.runtime import upgrading

pytestmark = pytest.mark.django_db(transaction=True)
NEWER = {"app": "catalog_app", "name": "9999_of_a_newer_version"}


def test_a_database_that_fits_stays_as_it_is() -> None:
    said: list[str] = []
    assert upgrading.upgrade(said.append) == 0
    assert "fits" in said[0]


def test_what_is_left_is_named_and_done(monkeypatch: pytest.MonkeyPatch) -> None:
    # The last one: those before it are no leaves, and need what follows them.
    _, last = next(key for key in MigrationLoader(connection).graph.leaf_nodes() if key[0] == "catalog_app")
    MigrationRecorder.Migration.objects.filter(app="catalog_app", name=last).delete()
    ran: list[str] = []
    monkeypatch.setattr(upgrading, "call_command", lambda name, **_: ran.append(name))
    said: list[str] = []
    try:
        assert upgrading.upgrade(said.append) == 1
    finally:
        MigrationRecorder(connection).record_applied("catalog_app", last)
    assert said[1:] == [f"  catalog_app {last}", "done"]
    assert ran == ["migrate"]


def test_a_database_of_a_newer_version_is_refused_and_nothing_runs() -> None:
    MigrationRecorder.Migration.objects.create(**NEWER)
    try:
        with pytest.raises(InvalidValue, match="newer lakeui"):
            call_command("upgrade")
        with pytest.raises(InvalidValue, match="9999_of_a_newer_version"):
            call_command("prepare")
    finally:
        MigrationRecorder.Migration.objects.filter(**NEWER).delete()


def test_an_application_that_is_gone_is_not_newer() -> None:
    MigrationRecorder(connection).record_applied("sessions", "0001_initial")
    try:
        upgrading.newer_refuse()
    finally:
        MigrationRecorder(connection).record_unapplied("sessions", "0001_initial")


def test_two_upgrades_come_one_after_the_other() -> None:
    said: list[str] = []
    waits = threading.Event()

    def say(text: str) -> None:
        said.append(text)
        if "waiting" in text:
            waits.set()

    def other() -> None:
        upgrading.upgrade(say)
        connection.close()

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [upgrading.LOCK])
        second = threading.Thread(target=other)
        second.start()
        assert waits.wait(20)
        assert len(said) == 1
        cursor.execute("SELECT pg_advisory_unlock(%s)", [upgrading.LOCK])
    second.join(20)
    assert "fits" in said[-1]
