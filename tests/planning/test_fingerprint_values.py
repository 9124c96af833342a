"""A fingerprint is kept with approvals and audit records, so its value for one content may not change: not without
another PLAN_FORMAT, which is a part of the rules' digest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from catalog_app.domain.operations import (
    FileEffects,
    ObjectKind,
    ObjectName,
    Operation,
    OperationKind,
    PropertyChange,
    Rename,
)
from catalog_app.domain.schema import Column, Schema
from catalog_app.domain.state import DatabaseState, TableState
from merge_app.lineage.steps import RemoveSegments, TableSteps
from merge_app.planning.fingerprint import fingerprint
from merge_app.planning.merge_plan import Action, DataPlan, Finding, ObjectPlan, RerunStatements, Verdict

TABLE = TableState(
    table_id=5,
    database_id=2,
    name="t",
    comment="",
    properties={"z": "1", "a": "2"},
    declared_partitions=frozenset({("2", None), ("1", "x")}),
    is_dropped=False,
    schema_version=3,
    schema=Schema((Column(1, "id", "bigint", nullable=False), Column(2, "m", "int", aliases=(4,)))),
)
OPERATIONS = (
    Operation(
        OperationKind.RENAME,
        ObjectKind.TABLE,
        5,
        changes=(Rename(ObjectName("s", 2), ObjectName("t", 2)), PropertyChange("a", None, "2")),
        metrics={"rows": 3, "files": 1},
        version=7,
        branch="dev",
    ),
)
DIGEST = "e602dd8faa94c9b3bad9f236e265bcfc943f9a43fd8e3f893145aaf3e1859e87"


def digest(operations: tuple[Operation, ...] = OPERATIONS) -> str:
    database = DatabaseState(2, "d", "", {}, False)
    plans = (
        ObjectPlan(ObjectKind.DATABASE, 2, "d", Action.CREATE, None, database, ()),
        ObjectPlan(ObjectKind.TABLE, 5, "d.t", Action.ALTER, TABLE, TABLE, operations),
    )
    return fingerprint((), plans, source_head=9, destination_head=8, rules_digest="rules")


def test_a_content_keeps_the_value_it_always_had() -> None:
    assert digest() == DIGEST


def test_files_of_an_operation_do_not_count() -> None:
    (rename,) = OPERATIONS
    loaded = Operation(**{**{name: getattr(rename, name) for name in rename.__slots__}, "effects": FileEffects()})
    assert digest((loaded,)) == DIGEST


def plain(value: Any) -> Any:
    """The content of a fingerprint in JSON's terms, as its format defines it."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, ObjectPlan):
        return plain_plan(value)
    if is_dataclass(value):
        left_out = "effects" if isinstance(value, Operation) else ""
        names = [field.name for field in fields(value) if field.compare and field.name != left_out]
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        pairs = [[plain(key), plain(item)] for key, item in value.items()]
        return sorted(pairs, key=lambda pair: json.dumps(pair, sort_keys=True))
    if isinstance(value, AbstractSet):
        return sorted(map(plain, value), key=lambda item: json.dumps(item, sort_keys=True))
    return [plain(item) for item in value] if isinstance(value, tuple | list) else value


def plain_plan(planned: ObjectPlan) -> dict[str, Any]:
    """An object's plan, without the state before, and of the one after only what is another."""
    names = [field.name for field in fields(planned) if field.name not in ("before", "after")]
    content = {name: plain(getattr(planned, name)) for name in names}
    before, after = planned.before, planned.after
    if before is None:
        return content | {"is_new": True, "after": plain(after)}
    states = {field.name: (getattr(before, field.name), getattr(after, field.name)) for field in fields(after)}
    changed = {name: plain(new) for name, (old, new) in states.items() if old != new}
    return content | {"is_new": False, "after": changed}


NAMES = st.text(max_size=8)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | NAMES
DETAILS = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=8
)
FINDINGS = st.builds(
    Finding,
    verdict=st.sampled_from(Verdict),
    code=NAMES,
    object_kind=st.sampled_from(ObjectKind),
    object_id=st.integers(),
    object_name=NAMES,
    rule_table=NAMES,
    source_operation=NAMES,
    destination_operation=NAMES,
    note=NAMES,
    message=NAMES,
    source_versions=st.tuples(st.integers()),
    details=st.dictionaries(NAMES, DETAILS, max_size=3),
)
ALIASES = st.tuples() | st.tuples(st.integers())
COLUMNS = st.builds(Column, id=st.integers(), name=NAMES, type=NAMES, default=st.none() | NAMES, aliases=ALIASES)
TABLES = st.builds(
    TableState,
    table_id=st.integers(),
    database_id=st.integers(),
    name=NAMES,
    schema=st.builds(Schema, st.lists(COLUMNS, max_size=3).map(tuple)),
    schema_version=st.integers(),
    properties=st.dictionaries(NAMES, NAMES, max_size=3),
    declared_partitions=st.frozensets(st.tuples(st.none() | NAMES), max_size=3),
)
AGAIN = st.builds(RerunStatements, st.just(Schema()), st.just(()), st.tuples(st.integers()))
STEPS = st.builds(TableSteps, st.tuples(st.builds(RemoveSegments, st.integers(), st.integers())), st.integers())
DATA = st.none() | st.builds(DataPlan, STEPS, row_work=st.tuples(AGAIN))
PLANS = st.builds(
    ObjectPlan,
    st.just(ObjectKind.TABLE),
    st.integers(),
    NAMES,
    st.sampled_from(Action),
    st.none() | TABLES,
    TABLES,
    st.just(OPERATIONS),
    DATA,
)


@given(st.lists(FINDINGS, max_size=3).map(tuple), st.lists(PLANS, max_size=3).map(tuple))
def test_it_is_the_digest_of_content_as_json(findings: tuple[Finding, ...], plans: tuple[ObjectPlan, ...]) -> None:
    content = {
        "source_head": 9,
        "destination_head": 8,
        "rules": "rülés",
        "findings": plain(findings),
        "objects": plain(plans),
    }
    wanted = hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=True).encode()).hexdigest()
    assert fingerprint(findings, plans, source_head=9, destination_head=8, rules_digest="rülés") == wanted
