"""Statements that the history recorded, read again so that a merge can run them on the target's rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NoReturn

from sqlglot import exp

from catalog_app.domain.generated import writing_schema
from catalog_app.domain.operations import ObjectKind, Operation, OperationKind
from catalog_app.domain.schema import Schema
from catalog_app.models import Branch, Commit
from catalog_app.selectors.objects import tables_load
from catalog_app.selectors.snapshots import branch_snapshot
from lakeui.common.errors import InvalidValue, LakeError, NotSupported
from lakeui.frontdoor.expressions.generated import with_generated
from lakeui.sql import statements as sql
from lakeui.sql.allowlist import is_repeatable
from lakeui.sql.dialect import read_expression
from lakeui.sql.parse import parse
from lakeui.sql.query import condition_columns
from lakeui.sql.session_values import session_values_refused
from merge_app.execution.operations import operations_load
from merge_app.execution.version_vectors import own_ranges, version_vector_load
from merge_app.planning.merge_plan import Decision, Resolution

_REMEDY = (
    "Decide KEEP BOTH, TAKE SOURCE or TAKE TARGET. Or run the statement again on the source after it merged the target."
)
_LEAVES_ROWS = (OperationKind.INSERT, OperationKind.DELETE)
_RUN_AGAIN = (OperationKind.UPDATE, OperationKind.DELETE)


def with_statements(decided: Resolution, source: Branch, destination: Branch) -> Resolution:
    """A decision to run statements again with these as its value; any other as it is. Raises NotSupported, naming what
    cannot be run again.
    """
    if decided.decision is not Decision.RERUN:
        return decided
    if decided.value:
        raise InvalidValue("What is run again is what was recorded.", remedy="Send no `value` with `rerun`.")
    if decided.object_kind is not ObjectKind.TABLE:
        return decided
    source_snapshot, target_snapshot = branch_snapshot(source), branch_snapshot(destination)
    version_vector = version_vector_load(target_snapshot)
    operations = operations_load(
        own_ranges(source_snapshot, version_vector), version_vector, databases=(), tables=[decided.object_id]
    )
    seen = version_vector_load(source_snapshot)
    _require_inserts_only(
        operations_load(own_ranges(target_snapshot, seen), seen, databases=(), tables=[decided.object_id])
    )
    state = tables_load(target_snapshot, [decided.object_id]).get(decided.object_id)
    if state is None:
        return decided
    versions = dict.fromkeys(_versions(operations))
    commits = Commit.objects.filter(catalog_id=source.catalog_id, version__in=versions).order_by("version")
    recorded = [_recorded(commit, writing_schema(state)) for commit in commits]
    return replace(decided, value=json.dumps(recorded, separators=(",", ":"))) if recorded else decided


def _require_inserts_only(operations: Iterable[Operation]) -> None:
    """Rows that the target wrote anew, but did not insert, were judged by the source's statement already."""
    for operation in operations:
        if operation.kind is OperationKind.PARTITION or (operation.is_data and operation.kind not in _LEAVES_ROWS):
            kind = operation.kind.value
            _refuse(f"Version {operation.version} of the target holds a change of kind {kind}, not only inserts")


def _versions(operations: Iterable[Operation]) -> Iterator[int]:
    """The versions at which rows were updated or deleted. Raises NotSupported for what no statement repeats."""
    for operation in operations:
        if operation.kind in _RUN_AGAIN and not operation.is_replay:
            yield operation.version
        elif operation.kind in (*_RUN_AGAIN, OperationKind.OVERWRITE, OperationKind.PARTITION):
            how = "was merged from another branch" if operation.is_replay else "is no UPDATE or DELETE"
            _refuse(f"The {operation.kind.value} of version {operation.version} {how}")


def _recorded(commit: Commit, schema: Schema) -> dict[str, Any]:
    """The statement of a commit as ``RecordedStatement`` holds it."""
    called = f"The {commit.operation} of version {commit.version}"
    try:
        with session_values_refused("it asks the session that ran it."):
            statement = parse(commit.statement)
    except LakeError as failure:
        raise NotSupported(f"{called} cannot be read again: {failure.message}", remedy=_REMEDY) from failure
    if isinstance(statement, sql.Insert) and statement.replaces is not None:
        # Its rows come with the merge. What is run again takes away the rows in whose place they stand.
        statement = sql.Delete(statement.table, None, statement.replaces)
    if not isinstance(statement, sql.Update | sql.Delete):
        _refuse(f"{called} is no UPDATE or DELETE of its own")
    if statement.subqueries.are_there:
        _refuse(f"{called} reads other rows in its subqueries")
    assignments = statement.assignments if isinstance(statement, sql.Update) else ()
    texts = [text for _, text in assignments if text.strip().upper() != "DEFAULT"]
    trees = [read_expression(text) for text in (*texts, *_texts(statement))]
    if not all(is_repeatable(tree) for tree in trees):
        _refuse(f"{called} uses the time or chance, so it does not give the same again")
    assignments = tuple(with_generated(schema, assignments, statement.alias or statement.table.table))
    used = {name for name, _ in assignments} | {column.name for tree in trees for column in tree.find_all(exp.Column)}
    used |= condition_columns(statement.where) if statement.where is not None else set()
    for name in sorted(used):
        if schema.named(name) is None:
            _refuse(f"{called} names the column {name}, which the target lacks")
    keys = {column.name.casefold() for i in schema.primary_key if (column := schema.column(i)) is not None}
    if keys & {name.casefold() for name, _ in assignments}:
        _refuse(f"{called} changes the primary key")
    return {
        "version": commit.version,
        "kind": (OperationKind.UPDATE if isinstance(statement, sql.Update) else OperationKind.DELETE).value,
        "alias": statement.alias or statement.table.table,
        "condition": statement.where.text if statement.where is not None else None,
        "assignments": [list(pair) for pair in assignments],
    }


def _texts(statement: sql.Update | sql.Delete) -> tuple[str, ...]:
    return (statement.where.text,) if statement.where is not None else ()


def _refuse(reason: str) -> NoReturn:
    raise NotSupported(f"{reason}: it cannot be run again on the target.", remedy=_REMEDY)
