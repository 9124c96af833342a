"""Rules for RESTORE, UNDROP and the drop of branches."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import rule

from lakeui.common.errors import MergeConflict
from tests.stateful.model import Branch, Database, RowWork, Table, Thing
from tests.stateful.object_rules import DATABASES, TABLES
from tests.stateful.recovery import Recovery, last_state, restored, undroppable, undropped
from tests.stateful.twins import Twins


class RecoveryRules(Twins):
    """``gone``: dropped branches by name, the last dropped of each. ``merges``: what each merge that made a version is
    called, its branch, and what it changed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.gone: dict[str, Branch] = {}
        self.merges: dict[str, tuple[Branch, int, frozenset[Thing]]] = {}

    # -- restore ------------------------------------------------------------------------------------------------------

    def _past(self, data: st.DataObject, branch: Branch) -> int:
        return data.draw(st.sampled_from(sorted(branch.versions)), "version")

    @rule(data=st.data())
    def restore_table(self, data: st.DataObject) -> None:
        self.do_restore_table(data, self.branch(data))

    def do_restore_table(self, data: st.DataObject, branch: Branch) -> None:
        version = self._past(data, branch)
        past = branch.versions[version].state
        if not past.tables:
            return
        identifier = data.draw(st.sampled_from(sorted(past.tables)), "table")
        table = branch.state.tables.get(identifier)
        name = branch.state.full_name(table) if table else past.full_name(past.tables[identifier])
        if table or name not in {branch.state.full_name(other) for other in branch.state.tables.values()}:
            self._restore(branch, f"TABLE {name}", version, {("table", identifier)})

    @rule(data=st.data())
    def restore_database(self, data: st.DataObject) -> None:
        branch = self.branch(data)
        version = self._past(data, branch)
        past = branch.versions[version].state
        if not past.databases:
            return
        identifier = data.draw(st.sampled_from(sorted(past.databases)), "database")
        database = branch.state.databases.get(identifier)
        name = database.name if database else past.databases[identifier].name
        if not database and name in {other.name for other in branch.state.databases.values()}:
            return
        things = {
            table.thing
            for state in (past, branch.state)
            for table in state.tables.values()
            if table.database_id == identifier
        }
        self._restore(branch, f"DATABASE {name}", version, things | {("database", identifier)})

    @rule(data=st.data())
    def restore_branch(self, data: st.DataObject) -> None:
        self.do_restore_branch(data, self.branch(data))

    def do_restore_branch(self, data: st.DataObject, branch: Branch) -> None:
        version = self._past(data, branch)
        things = branch.versions[version].state.things() | branch.state.things()
        if self._restore(branch, f"BRANCH {branch.name}", version, things):
            assert branch.state.things() == branch.versions[version].state.things()

    @rule(data=st.data())
    def restore_merge(self, data: st.DataObject) -> None:
        living = list(self.model.branches.values())
        known = {merge_id: done for merge_id, done in self.merges.items() if done[0] in living}
        if known:
            merge_id = data.draw(st.sampled_from(list(known)), "merge")
            branch, before, things = known[merge_id]
            self._restore(branch, f"MERGE '{merge_id}'", before, things)

    @rule(data=st.data())
    def restore_the_present(self, data: st.DataObject) -> None:
        branch = self.branch(data)
        result = self.lake.sql(f"RESTORE BRANCH {branch.name} TO VERSION AS OF {branch.head}")
        assert result.extra["outcome"] == "nothing to do"
        assert self.lake.head(branch.name) == branch.head

    def _restore(self, branch: Branch, what: str, version: int, things: Collection[Thing]) -> bool:
        """Whether it was tried: what comes of it has to be certain."""
        if not _is_certain(branch, version, things):
            return False
        recovery = restored(branch, version, things)
        clause = "" if what.startswith("MERGE") else f" TO VERSION AS OF {version}"
        self._recover(branch, f"RESTORE {what}{clause}", recovery)
        return True

    def remember_merge(self, branch: Branch, before: int, merge_id: str) -> None:
        """What a merge changed: where part of it left no trace, what taking it back means is not certain."""
        then, made = branch.versions[before].state, branch.versions[branch.head]
        changed = {thing for thing in then.things() | made.state.things() if then.get(thing) != made.state.get(thing)}
        said = {entry.thing for entry in branch.line[branch.versions[before].line : made.line]}
        if said <= changed:
            self.merges[merge_id] = (branch, before, frozenset(changed))

    # -- undrop -------------------------------------------------------------------------------------------------------

    @rule(data=st.data())
    def undrop(self, data: st.DataObject) -> None:
        self.do_undrop(data, self.branch(data))

    def do_undrop(self, data: st.DataObject, branch: Branch) -> None:
        things = undroppable(branch)
        if not things:
            return
        thing = data.draw(st.sampled_from(things), "dropped")
        gone = last_state(branch, thing)
        if isinstance(gone, Database):
            label, names = f"DATABASE {gone.name}", DATABASES
        else:
            label, names = f"TABLE {branch.state.databases[gone.database_id].name}.{gone.name}", TABLES
        name = data.draw(st.sampled_from((gone.name, *names)), "new name")
        clause = "" if name == gone.name else f" AS {name}"
        self._recover(branch, f"UNDROP {label} WITH ID '{thing[1]}'{clause}", undropped(branch, thing, name))

    # -- both ---------------------------------------------------------------------------------------------------------

    def _recover(self, branch: Branch, text: str, recovery: Recovery) -> None:
        note(f"{branch.name}: {text}")
        if recovery.refusals:
            with pytest.raises(MergeConflict) as refusal:
                self.sql(branch, text)
            found = {(item["kind"], item["object_id"], item["code"]) for item in refusal.value.details["conflicts"]}
            assert found == recovery.refusals
            assert self.lake.head(branch.name) == branch.head
            return
        result = self.sql(branch, text)
        made = result.version is not None and result.version > branch.head
        assert made == bool(recovery.entries), (result.extra, recovery.entries)
        if made:
            branch.commit(result.version, recovery.state, recovery.dated(result.version))
        self.compare_branch(branch)

    # -- branches -----------------------------------------------------------------------------------------------------

    @rule(data=st.data())
    def drop_branch(self, data: st.DataObject) -> None:
        names = sorted(set(self.model.branches) - {"main"})
        if names and data.draw(st.integers(0, 2)) == 0:
            name = data.draw(st.sampled_from(names), "branch")
            note(f"DROP BRANCH {name}")
            self.lake.sql(f"DROP BRANCH {name}")
            self.gone[name] = self.model.branches.pop(name)

    @rule(data=st.data())
    def undrop_branch(self, data: st.DataObject) -> None:
        names = sorted(set(self.gone) - set(self.model.branches))
        if names:
            name = data.draw(st.sampled_from(names), "branch")
            note(f"UNDROP BRANCH {name}")
            self.lake.sql(f"UNDROP BRANCH {name}")
            self.model.branches[name] = self.gone.pop(name)
            self.compare_branch(self.model.branches[name])


def _is_certain(branch: Branch, version: int, things: Collection[Thing]) -> bool:
    """Rows do not tell which files hold them: after a compaction in between, nor whether a restore brings others; nor
    which delete files mask them, where they were taken away, put back and taken away again.
    """
    then = branch.versions[version].state
    since = [entry for entry in branch.line[branch.versions[version].line :] if isinstance(entry, RowWork)]
    taken = {entry.thing for entry in since if entry.touched}
    pairs = [(then.get(thing), last_state(branch, thing)) for thing in things]
    return not any(
        past.blurs != present.blurs or (past.thing in taken and _images(past) == _images(present))
        for past, present in pairs
        if isinstance(past, Table) and isinstance(present, Table)
    )


def _images(table: Table) -> set[tuple[int, int]]:
    return {(row.id, row.writer) for row in table.rows.values()}
