"""``lakeui upgrade``: says what it does, waits for another one, and refuses what a newer version has written."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ModelState

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


ADDED = (
    (migrations.AddIndex("branch", models.Index(fields=["name"], name="i")), True),
    (migrations.AddField("branch", "note", models.TextField(null=True)), True),
    (migrations.AddField("branch", "note", models.TextField(db_default="")), True),
    # Old code inserts rows without it.
    (migrations.AddField("branch", "note", models.TextField(default="")), False),
    (migrations.RemoveField("branch", "name"), False),
    (migrations.AlterField("branch", "name", models.TextField(null=True)), False),
    (migrations.RunSQL("SELECT 1"), False),
    (migrations.RunPython(migrations.RunPython.noop), False),
    (migrations.SeparateDatabaseAndState([migrations.RunSQL("SELECT 1")]), False),
    (migrations.SeparateDatabaseAndState([], [migrations.RemoveField("branch", "name")]), True),
)


@pytest.mark.parametrize(("step", "is_beside"), ADDED)
def test_only_what_adds_runs_beside_the_version_before(step: Any, is_beside: bool) -> None:
    assert upgrading.runs_beside(step) is is_beside


def _check(*names: str) -> migrations.AddConstraint:
    condition = models.Q(*[(f"{name}__in", ["a", "b"]) for name in names])
    return migrations.AddConstraint("branch", models.CheckConstraint(condition=condition, name="c"))


NOTE = migrations.AddField("branch", "note", models.TextField(db_default="a"))


@pytest.mark.parametrize(
    ("steps", "is_beside"),
    [
        ([NOTE, _check("note")], True),
        # Old code may write another name.
        ([NOTE, _check("note", "name")], False),
        ([_check("note")], False),
        ([migrations.AddField("tag", "note", models.TextField(db_default="a")), _check("note")], False),
        ([NOTE, migrations.AddConstraint("branch", models.UniqueConstraint(fields=["note"], name="u"))], False),
    ],
)
def test_conditions_on_what_a_migration_adds_run_beside(steps: list[Any], is_beside: bool) -> None:
    assert upgrading.all_run_beside(steps, {}) is is_beside


@pytest.mark.parametrize(
    ("field", "is_beside"),
    [
        (models.TextField(choices=[("a", "A"), ("b", "B")]), True),
        (models.TextField(choices=[("a", "A")], null=True), False),
        (models.CharField(max_length=9, choices=[("a", "A")]), False),
    ],
)
def test_other_choices_run_beside_other_columns_do_not(field: models.Field[Any, Any], is_beside: bool) -> None:
    before = ModelState("lake", "Branch", [("event", models.TextField(choices=[("a", "A")]))])
    step = migrations.AlterField("branch", "event", field)
    assert upgrading.all_run_beside([step], {"branch": before}) is is_beside
    assert not upgrading.all_run_beside([step], {})


def test_new_events_of_webhooks_run_beside() -> None:
    loader = MigrationLoader(connection)
    step = loader.get_migration("merge_app", "0031_webhook_events")
    assert upgrading.all_run_beside(step.operations, upgrading.models_before(loader, step))


@pytest.mark.parametrize("is_beside", [True, False])
def test_a_plan_names_remaining_steps_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_beside: bool
) -> None:
    _, last = next(key for key in MigrationLoader(connection).graph.leaf_nodes() if key[0] == "catalog_app")
    monkeypatch.setattr(upgrading, "runs_beside", lambda _: is_beside)
    MigrationRecorder.Migration.objects.filter(app="catalog_app", name=last).delete()
    try:
        if is_beside:
            call_command("upgrade", "--plan")
        else:
            with pytest.raises(SystemExit) as ended:
                call_command("upgrade", "--plan")
            assert ended.value.code == 1
        assert not MigrationRecorder.Migration.objects.filter(app="catalog_app", name=last).exists()
    finally:
        MigrationRecorder(connection).record_applied("catalog_app", last)
    said = capsys.readouterr().out
    assert f"catalog_app {last}: {'runs beside' if is_beside else 'the version before has to stop'}" in said
    call_command("upgrade", "--plan")
    assert "nothing has to stop" in capsys.readouterr().out


def test_a_newer_database_is_refused_and_nothing_runs() -> None:
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
