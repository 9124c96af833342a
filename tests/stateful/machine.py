"""Random histories through the front door, each statement also done on the naive model, both compared as they go.

One rule per kind of statement; laws are checked where they can break.
"""

from __future__ import annotations

import random
from typing import Any

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from tests.stateful.model import Branch
from tests.stateful.recovery_rules import RecoveryRules
from tests.stateful.redo import Conflict, Verdict
from tests.stateful.replay import merge
from tests.stateful.transaction_rules import TransactionRules
from tests.stateful.twins import Twins, one

BRANCHES = ("b1", "b2", "b3", "b4")


def _has_two_branches(histories: Twins) -> bool:
    return len(histories.model.branches) > 1


class Histories(TransactionRules, RecoveryRules):
    """Rules for branches and merges, besides those for what they hold."""

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        """One database, one table with rows, one branch: most of what is interesting needs them."""
        main = self.model.branches["main"]
        self.do_create_database(main, "d1")
        self.do_create_table(data, main, next(iter(main.state.databases.values())), "t1")
        table = next(iter(main.state.tables.values()))
        self.do_insert(data, main, table)
        self.do_create_branch("b1", main, main.head)

    def do_create_branch(self, name: str, parent: Branch, version: int) -> None:
        note(f"CREATE BRANCH {name} FROM {parent.name} VERSION AS OF {version}")
        self.sql(parent, f"CREATE BRANCH {name} VERSION AS OF {version}")
        self.model.create_branch(name, parent.name, version)

    @precondition(lambda self: len(self.model.branches) <= len(BRANCHES))
    @rule(data=st.data())
    def create_branch(self, data: st.DataObject) -> None:
        parent = self.branch(data)
        versions = sorted(parent.versions)
        version = data.draw(st.just(parent.head) | st.sampled_from(versions[1:] or versions), "version")
        name = next(name for name in BRANCHES if name not in self.model.branches)
        self.do_create_branch(name, parent, version)
        self.compare_branch(self.model.branches[name])

    @precondition(_has_two_branches)
    @rule(data=st.data())
    def pull_and_merge_back(self, data: st.DataObject) -> None:
        """What a conflict asks for; the way to histories that meet again and again."""
        first, second = self.two_branches(data)
        self._merge(first, second)
        self._merge(second, first)

    @precondition(_has_two_branches)
    @rule(data=st.data())
    def merge(self, data: st.DataObject) -> None:
        self._merge(*self.two_branches(data))

    @precondition(_has_two_branches)
    @rule(data=st.data())
    def change_both_and_merge(self, data: st.DataObject) -> None:
        """Merges are where laws can break: this one follows rows that both sides just wrote."""
        source, destination = self.two_branches(data)
        for branch in (destination, source):
            self._change(data, branch)
        self._merge(source, destination)

    @precondition(_has_two_branches)
    @rule(data=st.data())
    def recover_and_merge(self, data: st.DataObject) -> None:
        """A branch goes back between changes of both sides."""
        source, destination = self.two_branches(data)
        back = data.draw(st.sampled_from((source, destination)), "going back")
        self._change(data, back)
        recover = data.draw(st.sampled_from((self.do_restore_table, self.do_restore_branch, self.do_undrop)))
        recover(data, back)
        for branch in data.draw(st.sampled_from(((), (source,), (destination,), (source, destination))), "changed"):
            self._change(data, branch)
        self._merge(source, destination)

    def _change(self, data: st.DataObject, branch: Branch) -> None:
        table = one(data, branch.state.tables, "table")
        if table:
            changes = (self.do_update, self.do_delete, self.do_insert, self.do_overwrite)
            data.draw(st.sampled_from(changes), "change")(data, branch, table)

    def _merge(self, source: Branch, destination: Branch) -> None:
        verdict = merge(source, destination)
        note(f"MERGE BRANCH {source.name} TO {destination.name}")
        dry = self.lake.dry_run(source.name, destination.name)
        conflicts = {(item["kind"], item["object_id"], item["code"]) for item in dry["conflicts"]}
        _agree(verdict, conflicts)
        if conflicts:
            self._refused(source, destination, dry)
        else:
            self._merged(source, destination, dry, verdict)
        self.compare_branch(destination)

    def _refused(self, source: Branch, destination: Branch, dry: dict[str, Any]) -> None:
        heads = self.lake.head(source.name), self.lake.head(destination.name)
        assert self.lake.refused(source.name, destination.name) == dry["conflicts"]
        assert heads == (self.lake.head(source.name), self.lake.head(destination.name))

    def _merged(self, source: Branch, destination: Branch, dry: dict[str, Any], verdict: Verdict) -> None:
        result = self.lake.merge(source.name, destination.name)
        assert result["fingerprint"] == dry["fingerprint"]
        assert (result["outcome"] == "nothing to merge") == verdict.is_empty
        if not verdict.is_empty:
            before = destination.head
            destination.commit(result["version"], verdict.state, verdict.entries, source.reach)
            self.remember_merge(destination, before, result["merge_id"])
        again = self.lake.merge(source.name, destination.name)
        assert again["outcome"] == "nothing to merge"
        assert self.lake.head(destination.name) == destination.head

    @rule(data=st.data())
    def travel(self, data: st.DataObject) -> None:
        branch = self.branch(data)
        version = data.draw(st.sampled_from(sorted(branch.versions)), "version")
        self._travel(branch, version)

    def _travel(self, branch: Branch, version: int) -> None:
        state = branch.versions[version].state
        for table in state.tables.values():
            self.compare_rows(branch, f"{state.full_name(table)} VERSION AS OF {version}", table)

    # -- laws that hold at any time -----------------------------------------------------------------------------------

    @invariant()
    def no_required_column_holds_null(self) -> None:
        for branch in self.model.branches.values():
            for table in branch.state.tables.values():
                required = [column.name for column in table.columns if not column.nullable]
                assert all(row[name] is not None for row in table.content() for name in required)

    def teardown(self) -> None:
        """Past versions read as they did, what other branches did changed none, and the metadata are sound."""
        for branch in self.model.branches.values():
            self.compare_branch(branch)
            chosen = random.Random(branch.head).sample(sorted(branch.versions), min(3, len(branch.versions)))
            for version in chosen:
                self._travel(branch, version)
        for tag in self.tags:
            self.compare_tag(tag)
        assert self.lake.breaches() == []


def _agree(verdict: Verdict, conflicts: set[Conflict]) -> None:
    """Rows that are in conflict are in no state in which NULLs could be counted: then A6.2 may go either way."""
    broken = {conflict[:2] for conflict in verdict.required | conflicts if conflict[2] != "NOT_NULL_WITHOUT_VALUE"}
    open_ones = verdict.possible | {(*thing, "NOT_NULL_WITHOUT_VALUE") for thing in broken}
    assert verdict.required - open_ones <= conflicts, (verdict.required, conflicts)
    assert conflicts <= verdict.required | open_ones, (verdict.required, conflicts)
