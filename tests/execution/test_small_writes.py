"""What a small write costs, counted in statements, and what of it waits for the disk."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction

from catalog_app.domain.files import NewDataFile
from catalog_app.domain.operations import FileEffects, OperationKind
from catalog_app.models import DataFile, ExpiredFile, ProtectionRule
from catalog_app.services.files import addresses_allocate, data_files_register
from lakeui.common.errors import BranchProtected, Stale
from lakeui.frontdoor.call import Call, ResolvedTable, table_for_writing
from lakeui.frontdoor.inputs_outputs import Session
from lakeui.frontdoor.rows.writes import commit_rows
from lakeui.sql.statements import TableName
from merge_app.jobs.context import Context
from tests.benchmarks.history import write_once
from tests.benchmarks.lake import Bench

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def _counted() -> Any:
    found: list[str] = []

    def note(execute: Callable[..., Any], query: str, *rest: Any) -> Any:
        found.append(query)
        return execute(query, *rest)

    with connection.execute_wrapper(note):
        yield found


def _call(bench: Bench) -> Call:
    return Call(Session(catalog=bench.catalog), Context(), "INSERT")


def _staged(bench: Bench) -> tuple[ResolvedTable, FileEffects]:
    """A write that has seen its table, up to its commit."""
    target = table_for_writing(_call(bench), TableName("t", "d"))
    table_id = target.table.table_id
    file = NewDataFile(f"bench/{secrets.token_hex(16)}", addresses_allocate(table_id, 10), 10, 1000)
    return target, FileEffects(data_files_register(table_id, [file]))


def _commit(bench: Bench, staged: tuple[ResolvedTable, FileEffects]) -> None:
    commit_rows(_call(bench), staged[0], "INSERT", OperationKind.INSERT, staged[1], {})


def test_a_write_takes_eight_statements() -> None:
    bench = Bench(1)
    write_once(bench.catalog)
    with _counted() as found:
        write_once(bench.catalog)
    assert len(found) == 8


def test_an_overtaken_commit_takes_two_more_statements() -> None:
    bench = Bench(1)
    counts = []
    for overtaken in (False, True):
        staged = _staged(bench)
        if overtaken:
            write_once(bench.catalog)
        with _counted() as found:
            _commit(bench, staged)
        counts.append(len(found))
    assert counts == [4, 6]


def test_what_was_altered_meanwhile_is_read_again() -> None:
    """The name that the branch has now is the one that the result of the commit stands under."""
    bench = Bench(1)
    staged = _staged(bench)
    bench.sql("ALTER TABLE d.t ADD COLUMN more INT")
    bench.sql("ALTER TABLE d.t RENAME TO d.u")
    _commit(bench, staged)
    assert bench.sql("SHOW TABLES IN d").rows[0][:2] == ["d", "u"]
    assert len(bench.sql("DESCRIBE TABLE d.u").rows) == 2


def test_an_expired_file_does_not_come_back() -> None:
    bench = Bench(1)
    staged = _staged(bench)
    file = DataFile.objects.get(pk=staged[1].added[0].file_id)
    ExpiredFile.objects.create(path=file.path, bytes=file.bytes, data_file=file)
    before = bench.branch("main").head_version
    with pytest.raises(Stale, match="expired while this was planned"):
        _commit(bench, staged)
    assert bench.branch("main").head_version == before


def test_a_new_protection_rule_refuses_a_running_write() -> None:
    bench = Bench(1)
    staged = _staged(bench)
    branch = bench.branch("main")
    ProtectionRule.objects.create(catalog_id=branch.catalog_id, pattern="main", refuse_direct_writes=True)
    with pytest.raises(BranchProtected):
        _commit(bench, staged)
    assert bench.branch("main").head_version == branch.head_version


def test_registration_in_a_transaction_keeps_its_durability() -> None:
    bench = Bench(1)
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = on")
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            addresses_allocate(bench.table_id, 1)
            cursor.execute("SHOW synchronous_commit")
            assert cursor.fetchone() == ("on",)
        addresses_allocate(bench.table_id, 1)
        with connection.cursor() as cursor:
            cursor.execute("SHOW synchronous_commit")
            assert cursor.fetchone() == ("on",)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET synchronous_commit")
