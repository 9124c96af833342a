"""A lake whose statements run on the reference model too: after each merge both refuse alike, or show the same."""

from __future__ import annotations

import re
from typing import Any

from lakeui.common.errors import MergeConflict
from lakeui.frontdoor import StatementResult
from tests.reference.facts import Refused
from tests.reference.lake import Lake as Model
from tests.reference.state import State
from tests.reference.statements import restore
from tests.support.lake import Lake
from tests.support.model_sql import Speaker, rows_of


class ModelledLake(Lake):
    """Compares databases, tables, properties and rows of a branch after each merge, restore and undrop."""

    def __init__(self) -> None:
        self.model = Model()
        self.speaker = Speaker(self.model)
        self.merges: dict[str, tuple[str, State, State]] = {}
        """By id: the target, and its states before and after."""
        super().__init__()
        self.history: dict[str, list[tuple[int, State]]] = {"main": []}
        self._note("main", self.head())

    def sql(self, text: str, branch: str = "main", *, transaction: str | None = None) -> StatementResult:
        assert transaction is None, "the model of stories has no transactions"
        if text.startswith("CREATE CATALOG"):
            return super().sql(text, branch)
        if merge := re.fullmatch(r"MERGE BRANCH (\w+) TO (\w+)", text):
            return self._merge(text, *merge.groups())
        if text.endswith("DRY RUN"):
            return super().sql(text, branch)
        if back := re.fullmatch(r"RESTORE MERGE '(.*)'", text):
            branch = self.merges[back[1]][0]
        before = self.head(branch)
        result = super().sql(text, branch)
        if made := re.fullmatch(r"CREATE BRANCH (\w+)", text):
            self.model.branch(made[1], self.model.branches[branch])
            self.history[made[1]] = list(self.history[branch])
            return result
        if (head := self.head(branch)) > before:
            self._play(text, branch, head)
        return result

    def _play(self, text: str, branch: str, head: int) -> None:
        state = self.model.branches[branch]
        if text.startswith("RESTORE"):
            self._restore(text, branch)
        elif (spoken := self.speaker.find(text)) is not None:
            statement = spoken(state)
            assert statement is not None, f"the model finds nothing to do: {text}"
            self.model.commit(branch, statement)
        self._note(branch, head)
        if text.startswith(("RESTORE", "UNDROP")):
            self._compare(branch)

    def _note(self, branch: str, head: int) -> None:
        self.history[branch].append((head, self.model.branches[branch]))

    def _restore(self, text: str, branch: str) -> None:
        state = self.model.branches[branch]
        if back := re.fullmatch(r"RESTORE MERGE '(.*)'", text):
            _, then, after = self.merges[back[1]]
            objects = [o for o in after.facts if after.facts[o] is not then.facts.get(o)]
        else:
            found = re.fullmatch(r"RESTORE (TABLE|BRANCH) (\S+) TO VERSION AS OF (\d+)", text)
            assert found is not None, f"no statement of a story: {text}"
            then = [item for version, item in self.history[branch] if version <= int(found[3])][-1]
            objects = [self._table(found[2], state, then)] if found[1] == "TABLE" else list(state.facts)
        self.model.commit(branch, restore(then, objects), also=then)

    def _table(self, name: str, *states: State) -> str:
        for state in states:
            try:
                return self.speaker.names.table(state, name)
            except AssertionError:
                continue
        raise AssertionError(f"no table {name}")

    def _merge(self, text: str, source: str, target: str) -> StatementResult:
        before = self.model.branches[target]
        expected: object = "merged"
        try:
            self.model.merge(source, target)
        except Refused as refused:
            expected = set(refused.codes)
        try:
            result = super().sql(text)
        except MergeConflict as refusal:
            got = {item["code"] for item in refusal.details["conflicts"]}
            assert got == expected, f"{source} into {target}: {got} in place of {expected}"
            raise
        assert expected == "merged", f"{source} into {target}: merged in place of {expected}"
        self._note(target, self.head(target))
        self.merges[str(result.extra["merge_id"])] = target, before, self.model.branches[target]
        self._compare(target)
        return result

    def _compare(self, branch: str) -> None:
        expected, found = self._modelled(self.model.branches[branch]), self._shown(branch)
        assert found == expected, f"{branch}: {found} in place of {expected}"

    def _modelled(self, state: State) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for o in state.facts:
            if not state.is_alive(o):
                continue
            name = str(state.value(o, "name"))
            if o.startswith("T"):
                rows = rows_of(state, o).values()
                listed = sorted((sorted(row.items()) for row in rows), key=repr)
                found[f"{state.value(state.value(o, 'home'), 'name')}.{name}"] = listed, self._properties(state, o)
            else:
                found[name] = self._properties(state, o)
        return found

    def _properties(self, state: State, o: str) -> str:
        held = {str(key[1]): fact.value for key, fact in state.facts[o].items() if key[0] == "property"}
        return "(" + ", ".join(f"{key}={value}" for key, value in sorted(held.items()) if value is not None) + ")"

    def _shown(self, branch: str) -> dict[str, Any]:
        read = super().sql
        found: dict[str, Any] = {}
        for row in read("SHOW DATABASES", branch).rows:
            found[row[0]] = dict(read(f"DESCRIBE DATABASE {row[0]}", branch).rows)["Properties"]
        for row in read("SHOW TABLES", branch).rows:
            name = f"{row[0]}.{row[1]}"
            answer = read(f"SELECT * FROM {name}", branch)
            names = [column for column, _ in answer.columns]
            listed = sorted((sorted(zip(names, values, strict=True)) for values in answer.rows), key=repr)
            described = read(f"DESCRIBE TABLE EXTENDED {name}", branch).rows
            found[name] = listed, {line[0]: line[1] for line in described}["Properties"]
        return found
