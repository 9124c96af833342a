"""Identity and names, new objects, drops, attributes, and the plan as a whole (semantics P1-P5, §3)."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from catalog_app.domain.operations import (
    ObjectKind,
    ObjectName,
    Operation,
    OperationKind,
    PropertyChange,
    Rename,
)
from catalog_app.domain.state import DatabaseState
from merge_app.planning.decisions import options_of
from merge_app.planning.merge_plan import Action, Decision, Verdict
from merge_app.planning.plan import plan
from tests.planning.build import (
    DB,
    ORDERS,
    SHOP,
    TABLE,
    cells,
    codes,
    compaction,
    create,
    database_operation,
    delete,
    drop,
    insert,
    merge_input,
    merged,
    overwrite,
    rename,
    set_property,
    table_of,
    undrop,
    unset_property,
    update,
)

OTHER = replace(ORDERS, table_id=11, name="other")


def _tables(*states):  # type: ignore[no-untyped-def]
    return {"tables": {state.table_id: state for state in states}}


def test_a_new_table_keeps_its_id() -> None:
    result = merged([create(11), replace(insert(5), object_id=11)], source_tables={11: OTHER})
    new = table_of(result, 11)
    assert (new.action, new.before, new.after, new.name) == (Action.CREATE, None, OTHER, "shop.other")
    assert [operation.kind.value for operation in new.operations] == ["create", "insert"]


def test_new_table_names_taken_ignoring_case_are_refused() -> None:
    taken = replace(ORDERS, table_id=12, name="OTHER")
    result = merged([create(11)], [create(12)], source_tables={11: OTHER}, **_tables(ORDERS, taken))
    assert codes(result.conflicts) == ["NAME_EXISTS"]
    conflict = result.conflicts[0]
    assert (conflict.source_operation, conflict.destination_operation) == ("create", "create")
    assert (conflict.source_versions, conflict.destination_versions) == ((100,), (200,))


def test_names_of_dropped_tables_are_free() -> None:
    dropped = replace(OTHER, table_id=12, is_dropped=True)
    elsewhere = replace(OTHER, table_id=13, database_id=2)
    result = merged([create(11)], source_tables={11: OTHER}, **_tables(ORDERS, dropped, elsewhere))
    assert result.conflicts == ()


def test_tables_may_swap_names_and_reuse_dropped_ones() -> None:
    swap = [rename("orders", "t"), rename("other", "orders", table=11), rename("t", "other")]
    result = merged(swap, **_tables(ORDERS, OTHER))
    assert result.conflicts == ()
    assert {item.object_id: item.after.name for item in result.objects} == {10: "other", 11: "orders"}
    again = replace(ORDERS, table_id=12)
    assert merged([drop(), create(12)], source_tables={12: again}).conflicts == ()


def test_renaming_onto_a_name_given_meanwhile_is_refused() -> None:
    result = merged([rename("orders", "other")], [create(11)], **_tables(ORDERS, OTHER))
    assert codes(result.conflicts) == ["NAME_EXISTS"]


def test_an_already_merged_object_is_not_made_again() -> None:
    result = merged([create()])
    assert table_of(result).action is Action.UNTOUCHED


def test_differing_renames_note_and_take_the_sources_name() -> None:
    state = _tables(replace(ORDERS, name="theirs"))
    result = merged([rename("orders", "mine")], [rename("orders", "theirs")], **state)
    assert (table_of(result).after.name, codes(result.notes)) == ("mine", ["OVERRIDDEN_BY_SOURCE"])
    agreed = merged([rename("orders", "theirs")], [rename("orders", "theirs")], **state)
    assert (table_of(agreed).action, codes(agreed.notes)) == (Action.UNTOUCHED, [])


def test_properties_merge_by_key_and_the_source_wins() -> None:
    of_target = replace(ORDERS, properties={"p": "3", "q": "1", "r": "1"})
    result = merged(
        [set_property("p", "1", "2"), unset_property("q")],
        [set_property("p", "1", "3"), set_property("r", None, "1")],
        **_tables(of_target),
    )
    assert table_of(result).after.properties == {"p": "2", "r": "1"}
    assert codes(result.notes) == ["OVERRIDDEN_BY_SOURCE"]


def test_unsetting_a_property_twice_conflicts() -> None:
    result = merged([unset_property("p")], [unset_property("p")])
    assert (codes(result.conflicts), cells(result, Verdict.CONFLICT)) == (
        ["UNSET_SAME_PROPERTY"],
        [("properties", "properties")],
    )
    assert merged([unset_property("p")], [unset_property("q")]).conflicts == ()
    unset = database_operation(OperationKind.UNSET_PROPERTIES, PropertyChange("p", "1", None))
    result = merged([unset], [unset])
    assert cells(result, Verdict.CONFLICT) == [("unset properties", "unset properties")]


def test_a_drop_over_changes_leaves_a_note() -> None:
    result = merged([drop()], [insert(31)])
    planned = table_of(result)
    assert (planned.action, planned.after.is_dropped, planned.data) == (Action.DROP, True, None)
    assert codes(result.notes) == ["DROPS_DEST_CHANGES"]
    assert merged([drop()], []).notes == ()


def test_an_undropped_table_is_valid_again() -> None:
    result = merged([undrop()], **_tables(replace(ORDERS, is_dropped=True)))
    assert (table_of(result).action, table_of(result).after.is_dropped) == (Action.ALTER, False)
    taken = merged([undrop()], **_tables(replace(ORDERS, is_dropped=True), replace(OTHER, name="orders")))
    assert codes(taken.conflicts) == ["NAME_EXISTS"]


DROP_DATABASE = database_operation(OperationKind.DROP)


def test_a_dropped_database_notes_new_rows() -> None:
    result = merged([DROP_DATABASE], [insert(31)], database_tables={DB: (TABLE,)})
    assert [(item.kind.value, item.action.value) for item in result.objects] == [
        ("database", "drop"),
        ("table", "drop"),
    ]
    assert codes(result.notes) == ["DROPS_DEST_CHANGES"]


def test_tables_drop_where_their_database_does() -> None:
    result = merged([DROP_DATABASE], [], database_tables={DB: (TABLE,)})
    (dropped,) = table_of(result).operations
    assert (dropped.operation_id, dropped.origin_id) == (100, 100)


def test_a_dropped_database_drops_and_notes_new_tables() -> None:
    result = merged([DROP_DATABASE], [create(11)], **_tables(OTHER), database_tables={DB: (11,)})
    assert table_of(result, 11).action is Action.DROP
    assert codes(result.notes) == ["DROPS_DEST_CHANGES"]


def test_changes_in_a_database_the_target_dropped_conflict() -> None:
    fields = {"databases": {DB: replace(SHOP, is_dropped=True)}, "database_tables": {DB: (TABLE,)}}
    result = merged([insert(5)], [DROP_DATABASE], **fields)
    assert (codes(result.conflicts), cells(result, Verdict.CONFLICT)) == (
        ["OBJECT_DROPPED_ON_DEST"],
        [("insert", "drop")],
    )
    assert result.conflicts[0].destination_versions == (200,)
    moved = merged([rename("orders", "x")], [DROP_DATABASE], **fields)
    assert codes(moved.conflicts) == ["OBJECT_DROPPED_ON_DEST"]
    new = merged([create(11)], [DROP_DATABASE], source_tables={11: OTHER}, **fields)
    assert codes(new.conflicts) == ["OBJECT_DROPPED_ON_DEST"]
    assert merged([drop()], [DROP_DATABASE], **fields).conflicts == ()
    for refused in (result, moved, new):
        (finding,) = refused.conflicts
        assert finding.details["database_id"] == DB
        assert [option.decision for option in options_of(finding)] == [Decision.TAKE_DESTINATION, Decision.LEAVE_OUT]
    assert result.conflicts[0].remedy.startswith("Undrop the database shop on the target, or drop the table")


def test_tables_moved_before_the_drop_survive() -> None:
    mall = DatabaseState(2, "mall")
    move = rename("orders", "orders", to_database=2)
    result = merged([move, DROP_DATABASE], databases={DB: SHOP, 2: mall}, database_tables={DB: (TABLE,)})
    assert result.conflicts == ()
    planned = table_of(result)
    assert (planned.action, planned.name) == (Action.ALTER, "mall.orders")


def test_new_databases_keep_ids_and_refuse_taken_names() -> None:
    mall = DatabaseState(2, "mall")
    made = Operation(OperationKind.CREATE, ObjectKind.DATABASE, 2, created={})
    result = merged([made], source_databases={2: mall})
    assert [(item.object_id, item.action, item.after) for item in result.objects] == [(2, Action.CREATE, mall)]
    taken = merged([made], source_databases={2: mall}, databases={DB: SHOP, 3: DatabaseState(3, "Mall")})
    assert codes(taken.conflicts) == ["NAME_EXISTS"]


def test_databases_may_swap_names() -> None:
    def renamed(identity: int, before: str, after: str) -> Operation:
        change = Rename(ObjectName(before), ObjectName(after))
        return database_operation(OperationKind.RENAME, change, database=identity)

    swap = [renamed(DB, "shop", "t"), renamed(2, "mall", "shop"), renamed(DB, "t", "mall")]
    result = merged(swap, databases={DB: SHOP, 2: DatabaseState(2, "mall")})
    assert result.conflicts == ()
    assert [item.after.name for item in result.objects] == ["mall", "shop"]


# Properties of every plan

_SAMPLES = [
    rename("orders", "mine"),
    set_property("p", "1", "2"),
    unset_property("p"),
    insert(41),
    delete((42, 1)),
    update(43, deletes=[(44, 2)]),
    overwrite(45, removed=[1, 2]),
    compaction(46, inputs=[1, 2]),
    drop(),
    undrop(),
]
_operations = st.lists(st.sampled_from(_SAMPLES), max_size=5, unique_by=id)


@given(_operations, _operations)
def test_one_input_gives_one_plan_and_one_fingerprint(source: list[Operation], destination: list[Operation]) -> None:
    first, second = merged(source, destination), merged(source, destination)
    assert first == second
    assert len(first.fingerprint) == 64
    moved = merged(source, destination, destination_head=300)
    assert moved.fingerprint != first.fingerprint


@given(_operations, _operations)
def test_what_the_source_did_not_change_is_untouched(source: list[Operation], destination: list[Operation]) -> None:
    elsewhere = [replace(operation, object_id=11) for operation in destination]
    result = merged(source, elsewhere, **_tables(ORDERS, OTHER))
    assert {item.object_id for item in result.objects} <= {TABLE}
    assert result.conflicts == ()


@given(_operations, _operations)
def test_conflicts_come_first_and_name_rule_and_remedy(source: list[Operation], destination: list[Operation]) -> None:
    findings = merged(source, destination).findings
    ranks = [[Verdict.CONFLICT, Verdict.NOTE, Verdict.OK].index(finding.verdict) for finding in findings]
    assert ranks == sorted(ranks)
    for finding in findings:
        assert finding.message
        assert bool(finding.remedy) is (finding.verdict is not Verdict.OK)


@given(st.permutations([10, 11, 12, 13]))
def test_any_permutation_of_names_is_free_of_conflicts(order: list[int]) -> None:
    states = [replace(ORDERS, table_id=identity, name=f"t{identity}") for identity in (10, 11, 12, 13)]
    renames = [
        rename(state.name, f"t{target}", table=state.table_id)
        for state, target in zip(states, order, strict=True)
        if state.table_id != target
    ]
    result = plan(merge_input(renames, **_tables(*states)))
    assert result.conflicts == ()
    moved = {item.object_id: item.after.name for item in result.objects}
    assert moved == {s.table_id: f"t{t}" for s, t in zip(states, order, strict=True) if s.table_id != t}
