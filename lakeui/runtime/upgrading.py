"""Bring a database to this version of lakeui: one at a time, and never back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import (
    AddConstraint,
    AddField,
    AddIndex,
    AlterModelManagers,
    AlterModelOptions,
    CreateModel,
    SeparateDatabaseAndState,
)
from django.db.migrations.operations.base import Operation
from django.db.models import CheckConstraint, Q

from lakeui import __version__
from lakeui.common.errors import InvalidValue

Say = Callable[[str], None]
LOCK = 0x6C616B65
"""A number that only lakeui locks."""


def upgrade(say: Say) -> int:
    """Run the migrations that are left, and say each; how many. Readers and writers go on, but for short locks.

    Raises InvalidValue where a newer lakeui was here: this one does not know what its tables mean.
    """
    with _one_at_a_time(say):
        newer_refuse()
        executor = MigrationExecutor(connection)
        left = [step for step, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]
        if not left:
            say(f"the database fits lakeui {__version__}")
            return 0
        say(f"{len(left)} migrations to lakeui {__version__}:")
        for step in left:
            say(f"  {step.app_label} {step.name}")
        call_command("migrate", interactive=False, verbosity=0)
        say("done")
        return len(left)


def upgrade_plan(say: Say) -> bool:
    """Say the migrations that are left; whether the version before may run beside all of them. Changes nothing."""
    newer_refuse()
    executor = MigrationExecutor(connection)
    left = [step for step, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]
    if not left:
        say(f"the database fits lakeui {__version__}: nothing has to stop")
        return True
    stops = [step for step in left if not all_run_beside(step.operations)]
    for step in left:
        said = "the version before has to stop" if step in stops else "runs beside the version before"
        say(f"  {step.app_label} {step.name}: {said}")
    say("stop web and workers, then upgrade" if stops else "upgrade, then start web and workers anew one by one")
    return not stops


def all_run_beside(steps: Sequence[Operation]) -> bool:
    """Whether code that does not know of a migration works after it. A condition on nothing but columns that the
    migration adds asks nothing of old code, as that gives them no other value than the database does.
    """
    added = {(step.model_name_lower, step.name) for step in steps if isinstance(step, AddField)}
    return all(runs_beside(step) or _is_of_added(step, added) for step in steps)


def _is_of_added(step: Operation, added: set[tuple[str, str]]) -> bool:
    if not (isinstance(step, AddConstraint) and isinstance(step.constraint, CheckConstraint)):
        return False
    condition = step.constraint.condition
    if not isinstance(condition, Q):
        return False
    return all((step.model_name_lower, name) in added for name in condition.referenced_base_fields)


def runs_beside(step: Operation) -> bool:
    """Whether code that does not know of the step works after it: it only adds, and what it adds needs no value of old
    code. What is not known for sure is no.
    """
    if isinstance(step, SeparateDatabaseAndState):
        return all(map(runs_beside, step.database_operations))
    if isinstance(step, AddField):
        return bool(step.field.null or step.field.many_to_many or step.field.has_db_default())
    return isinstance(step, (CreateModel, AddIndex, AlterModelOptions, AlterModelManagers))


def newer_refuse() -> None:
    """Raise InvalidValue where the database has migrations that this lakeui does not know."""
    loader = MigrationLoader(connection)
    ours = {key for key in loader.applied_migrations if key[0] in loader.migrated_apps}
    # A squashed migration stands for those that it replaces.
    known = {*loader.disk_migrations, *(old for step in loader.replacements.values() for old in step.replaces)}
    unknown = sorted(ours - known)
    if unknown:
        names = ", ".join(f"{app} {name}" for app, name in unknown[:3])
        raise InvalidValue(
            f"The database is of a newer lakeui than {__version__}: it has {names}.",
            remedy="Install that version again, or restore a backup of before the upgrade.",
        )


@contextmanager
def _one_at_a_time(say: Say) -> Iterator[None]:
    """A lock of the session: it ends with the process, however that ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
        if not cursor.fetchone()[0]:
            say("another process upgrades this database; waiting")
            cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
