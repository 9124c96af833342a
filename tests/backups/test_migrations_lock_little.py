"""Migrations run while people read: no new one keeps readers out for as long as a table is long."""

from __future__ import annotations

import logging

import pytest
from django.conf import settings
from django_migration_linter import MigrationLinter

pytestmark = pytest.mark.django_db

BEFORE = {
    "access": "0003_external_identities",
    "catalog_app": "0022_views_say_more",
    "jobs": "0008_parts",
    "merge_app": "0012_tables_decided",
    "pipelines": "0002_schedule_timezone",
}
"""By application, the last migration from before this rule. Those are history, and are not made anew."""
ALLOWED = (
    # Old code does not write meanwhile: `upgrade` runs while web and workers are stopped.
    *("NOT_NULL", "DROP_COLUMN", "RENAME_TABLE", "RENAME_COLUMN", "DROP_TABLE"),
    # Migrations only go forward: the way back is the backup.
    *("RUNSQL_REVERSIBLE", "RUNPYTHON_REVERSIBLE"),
)


def linted(app: str, name: str) -> MigrationLinter:
    logging.getLogger("django_migration_linter").setLevel(logging.WARNING)
    linter = MigrationLinter(
        str(settings.BASE_DIR), no_cache=True, analyser_string="postgresql", exclude_migration_tests=ALLOWED
    )
    linter.lint_migration(linter.migration_loader.disk_migrations[app, name])
    return linter


def test_no_new_migration_keeps_readers_out(capsys: pytest.CaptureFixture[str]) -> None:
    known = MigrationLinter(str(settings.BASE_DIR), no_cache=True, analyser_string="postgresql").migration_loader
    new = [(app, name) for app, name in sorted(known.disk_migrations) if app in BEFORE and name > BEFORE[app]]
    assert new
    wrong = [step for step in new if linted(*step).nb_erroneous]
    assert wrong == [], capsys.readouterr().out


def test_one_that_does_is_found() -> None:
    """It made a unique constraint, and its index under the lock."""
    assert linted("catalog_app", "0018_shared_files").nb_erroneous == 1
