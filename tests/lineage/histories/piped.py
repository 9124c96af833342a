"""Histories in which pipelines write tables too, by the strategies that make one row of an id."""

from __future__ import annotations

from random import Random

from catalog_app.selectors.snapshots import catalog_get
from lakeui.common.errors import LakeError
from merge_app.pipelines.models import Pipeline
from merge_app.pipelines.services import pipeline_create, pipeline_edit
from tests.lineage.histories import history as histories
from tests.lineage.histories.chance_rows import KEYS, PARTITIONS, fresh_ids
from tests.lineage.histories.states import Shown
from tests.lineage.histories.wide import WideHistory
from tests.pipelines.strategies.pipes import Pipe, batch

OVERWRITES = ("full_refresh", "snapshot")
STRATEGIES = (*OVERWRITES, "append_only", "incremental", "incremental", "incremental", "delete_insert")
Written = tuple[str, str]
"""The source and the configuration of a run."""


class PipelineHistory(WideHistory):
    """A table is written by any strategy, on any branch."""

    def begin(self) -> None:
        self.pipelines: dict[str, Pipeline] = {}
        super().begin()

    def step(self, number: int) -> None:
        rng = Random(f"{self.seed} pipeline {number}")
        b = rng.choice(self.names)
        tables = [self.states[b].tables[key] for key in sorted(self.states[b].tables)]
        if rng.random() < 0.3 and tables:
            self.write(b, rng.choice(tables), rng, number)
            self.stepped(b, number)
        else:
            super().step(number)

    def write(self, b: str, table: Shown, rng: Random, number: int) -> None:
        strategy = rng.choice(STRATEGIES)
        written = _drawn(rng, table, strategy, f"s{number}")
        if written is None:
            return
        before, head = self.states[b], self.lake.head(b)
        self.say(b, f"PIPELINE {' OVERWRITE' if strategy in OVERWRITES else ''} {table.path}: {'; '.join(written)}")
        try:
            self._run(table, b, *written)
        except LakeError as refused:
            if refused.code not in histories.REFUSALS:
                raise
            self.journal[-1] += f"  -- {refused.code}"
            self.outcomes.append(refused.code)
            self.count(f"{strategy} {refused.code}")
            assert (self.lake.head(b), self.look(b)) == (head, before), "a refused run changed a branch"
            return
        self.count(strategy)
        text, after = self.journal[-1], self.look(b)
        for law in self.laws:
            law.changed(self, b, text, before, after)

    def _run(self, table: Shown, b: str, source: str, config: str) -> None:
        pipe = Pipe(self.lake, config)
        pipe.table, pipe.pipeline = table.path, self.pipelines.get(table.path)
        values = {"source": source, "config": config, "branch": b}
        if pipe.pipeline is None:
            place = {"name": f"p{len(self.pipelines)}", "layer": "", "schedule": ""}
            place |= {"database": table.database, "table": table.name}
            catalog = catalog_get(self.lake.catalog)
            pipe.pipeline = pipeline_create(catalog=catalog, values={**place, **values}, owner_id=None)
            self.pipelines[table.path] = pipe.pipeline
        else:
            pipeline_edit(pipe.pipeline, values, author_id=None)
        pipe.start(b)


def _drawn(rng: Random, table: Shown, strategy: str, word: str) -> Written | None:
    v = table.named("v")
    if v is None or v.type != "string":
        return None
    part, lines = rng.choice(PARTITIONS), [f"merge_strategy: {strategy}", "on_schema_change: append"]
    ids = fresh_ids(rng, table, word, rng.choice([0, 1, 2]))
    known = sorted(table.rows)
    if strategy == "incremental" or (strategy == "delete_insert" and table.is_keyed):
        ids += rng.sample(known, min(len(known), rng.choice([0, 1, 2])))
    if strategy in ("incremental", "delete_insert"):
        lines.append("unique_key: id")
    if strategy == "incremental" and table.named("n"):
        lines += rng.choice([[], ["watermark_column: n"]])
        lines += rng.choice([[], [], ["delete_when: v = 'y'"]])
    if strategy == "snapshot":
        lines.append("partition_column: p")
        elsewhere = {i for i in table.rows if table.cell(i, "p") != part}
        ids = [i for i in range(1, KEYS + 1) if i not in elsewhere][:2] if table.is_keyed else ids
    if not ids:
        return None
    columns = ["id INT", "v STRING", *(["n INT"] if table.named("n") else []), "p STRING"]
    rows = [
        [i, rng.choice([word, word, "x", "y"]), *([rng.choice([0, 1, 10])] if table.named("n") else []), part]
        for i in dict.fromkeys(ids)
    ]
    return batch(rows, columns), "\n".join(lines)
