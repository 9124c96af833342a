"""Bring a database to this version of lakeui: one at a time, and never back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.core.management import call_command
from django.db import connection
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import (
    AddConstraint,
    AddField,
    AddIndex,
    AlterField,
    AlterModelManagers,
    AlterModelOptions,
    CreateModel,
    SeparateDatabaseAndState,
)
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState
from django.db.models import CheckConstraint, Field, Q

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
    stops = [step for step in left if not all_run_beside(step.operations, models_before(executor.loader, step))]
    for step in left:
        said = "the version before has to stop" if step in stops else "runs beside the version before"
        say(f"  {step.app_label} {step.name}: {said}")
    say("stop web and workers, then upgrade" if stops else "upgrade, then start web and workers anew one by one")
    return not stops


Models = Mapping[str, ModelState]
"""The models of an app by name, in small letters."""


def models_before(loader: MigrationLoader, step: Migration) -> Models:
    """The models of the migration's app as it finds them."""
    state = loader.project_state((step.app_label, step.name), at_end=False)
    return {name: model for (app, name), model in state.models.items() if app == step.app_label}


def all_run_beside(steps: Sequence[Operation], before: Models) -> bool:
    """Whether code that does not know of a migration works after it; ``before`` are the models that it finds.

    A condition on nothing but columns that the migration adds asks nothing of old code, as that gives them no other
    value than the database does. A field whose column stays as it is asks nothing either.
    """
    added = {(step.model_name_lower, step.name) for step in steps if isinstance(step, AddField)}
    return all(runs_beside(step) or _is_of_added(step, added) or _column_stays(step, before) for step in steps)


def _column_stays(step: Operation, before: Models) -> bool:
    """Whether the step changes a field in nothing that the database knows: in its choices, say."""
    if not isinstance(step, AlterField) or step.model_name_lower not in before:
        return False
    old = before[step.model_name_lower].fields.get(step.name)
    return old is not None and _of_database(old) == _of_database(step.field)


def _of_database(field: Field[Any, Any]) -> tuple[Any, ...]:
    _, kind, arguments, options = field.deconstruct()
    return kind, arguments, {name: value for name, value in options.items() if name not in field.non_db_attrs}


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
