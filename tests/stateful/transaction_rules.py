"""Rules for several statements as one commit, and for tags."""

from __future__ import annotations

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.stateful.model import Branch, Snapshot
from tests.stateful.object_rules import ObjectRules
from tests.stateful.row_rules import RowRules
from tests.stateful.twins import one

LONGEST = 4
"""Statements of a transaction."""


class TransactionRules(ObjectRules, RowRules):
    """``tags``: what each tag names."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: dict[str, tuple[str, Snapshot]] = {}

    @rule(data=st.data(), is_kept=st.sampled_from((True, True, False)))
    def transact(self, data: st.DataObject, is_kept: bool) -> None:
        branch = self.branch(data)
        opened = self._begin(branch)
        for _ in range(data.draw(st.integers(1, LONGEST), "statements")):
            self._statement(data, opened)
        self.compare_branch(branch)
        note("COMMIT" if is_kept else "ROLLBACK")
        result = self.sql(opened, "COMMIT" if is_kept else "ROLLBACK")
        if is_kept and result.version is not None and result.version > branch.head:
            self.model.commit_workspace(branch, result.version, opened)
        else:
            assert not is_kept or opened.state == branch.state
        self.compare_branch(branch)

    def _begin(self, branch: Branch) -> Branch:
        note(f"{branch.name}: BEGIN")
        opened = branch.cut(branch.name, branch.head)
        opened.transaction = self.sql(branch, "BEGIN").extra["transaction"]
        return opened

    def _statement(self, data: st.DataObject, opened: Branch) -> None:
        table = one(data, opened.state.tables, "table")
        if table:
            done = (
                *(self.do_insert, self.do_update, self.do_delete, self.do_merge_into, self.do_overwrite),
                self.do_set_property,
            )
            data.draw(st.sampled_from(done), "statement")(data, opened, table)

    @rule(data=st.data())
    def create_tag(self, data: st.DataObject) -> None:
        branch = self.branch(data)
        version = data.draw(st.sampled_from(sorted(branch.versions)), "version")
        name = f"tag{len(self.tags)}"
        self.sql(branch, f"CREATE TAG {name} FROM {branch.name} VERSION AS OF {version}")
        self.tags[name] = (branch.name, branch.versions[version])

    @rule(data=st.data())
    def read_tag(self, data: st.DataObject) -> None:
        if self.tags:
            self.compare_tag(data.draw(st.sampled_from(sorted(self.tags)), "tag"))

    def compare_tag(self, name: str) -> None:
        branch, snapshot = self.tags[name]
        if branch not in self.model.branches:
            return
        for table in snapshot.state.tables.values():
            database = snapshot.state.databases[table.database_id]
            self.compare_rows(self.model.branches[branch], f"{database.name}.`{table.name}@{name}`", table)
