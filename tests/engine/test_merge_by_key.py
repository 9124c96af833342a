"""Pairs of a merge by one column, found without Spark: they are those of a join, and what is large is Spark's."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from catalog_app.domain.files import FileScan
from catalog_app.engine import merge_by_key
from catalog_app.engine.merge_by_key import Pairs, pairs_by_key
from catalog_app.engine.merge_values import Act, Family, FrozenSource, MergeTask, Rule
from catalog_app.engine.targets import Target
from catalog_app.engine.writing import FileWriter
from catalog_app.storage.deletes import write_deletes
from tests.engine.conftest import lake_alone
from tests.engine.lake import TABLE, Lake, schema_of

UPDATE = Rule(Family.MATCHED, Act.UPDATE, None, {"k": "`s`.`k`", "v": "`s`.`v`"})
DELETE = Rule(Family.MATCHED, Act.DELETE)
INSERT = Rule(Family.NOT_MATCHED, Act.INSERT, None, dict(UPDATE.values))
WIDTHS = {"tinyint": pa.int8(), "smallint": pa.int16(), "int": pa.int32(), "bigint": pa.int64(), "string": pa.string()}
Rows = Sequence[tuple[Any, ...]]


@pytest.fixture
def alone(tmp_path: Path) -> Lake:
    """A table (k, v) that no Spark reads."""
    lake = lake_alone(tmp_path)
    lake.schema = schema_of("k int", "v string")
    return lake


def put(lake: Lake, rows: Rows) -> FileScan:
    """Write the rows as a file, under the names that the table's columns have now."""
    kinds = [WIDTHS[column.type] for column in lake.schema.columns]
    columns = zip(*rows, strict=True)
    table = pa.table({f"__c{n}": pa.array(v, kind) for n, (v, kind) in enumerate(zip(columns, kinds, strict=True), 1)})
    lake.add(lake.engine._writer.write_arrow(Target(TABLE, lake.schema), table))
    return lake.files[-1]


def delete(lake: Lake, file: FileScan, positions: Sequence[int]) -> None:
    places = np.array(positions, dtype=np.int64)
    written = write_deletes(lake.warehouse, table_id=TABLE, file=file, positions=places, row_ids=places + file.base)
    paths = (*file.delete_paths, written.path)
    lake.files = [replace(item, delete_paths=paths) if item.file_id == file.file_id else item for item in lake.files]


def frozen(rows: Rows, kinds: Sequence[str] = ("int", "string")) -> FrozenSource:
    columns = list(zip(*rows, strict=True)) or [(), ()]
    arrays = {f"c{n}": pa.array(v, WIDTHS[kind]) for n, (v, kind) in enumerate(zip(columns, kinds, strict=True))}
    table = pa.table(arrays)
    named = tuple(zip(("k", "v"), kinds, strict=True))
    return FrozenSource("folder", "s", named, len(rows), table.nbytes, table=table)


def found(lake: Lake, source: FrozenSource, *rules: Rule, beside: str | None = None) -> Pairs | None:
    task = MergeTask(lake.scan(), "t", "", rules, compares=((1, "`s`.`k`"),), beside=beside)
    return pairs_by_key(lake.engine._writer, task, source, Target(TABLE, lake.schema, with_row_ids=True))


def test_pairs_are_those_of_a_join(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge_by_key, "BATCH_ROWS", 7)
    for seed in range(40):
        random.seed(seed)
        # With the second, texts come by their dictionary.
        monkeypatch.setattr(merge_by_key, "PLAIN_TEXT_BYTES", random.choice([0, 100_000]))
        kind = random.choice(list(WIDTHS))
        other = "string" if kind == "string" else random.choice([name for name in WIDTHS if name != "string"])
        texts = ["", " ", "a", "a ", "A", "á", "a\0", "0", "00", "long " * 30]
        keys = [*texts, None] if kind == "string" else [*range(-5, 6), None]
        lake = lake_alone(tmp_path / str(seed))
        lake.schema = schema_of(f"k {kind}", "v string")
        live: list[tuple[int, Any]] = []
        for _ in range(random.randint(1, 4)):
            rows = [(random.choice(keys), random.choice(texts)) for _ in range(random.randint(1, 30))]
            file = put(lake, rows)
            gone = random.sample(range(len(rows)), random.randint(0, len(rows) - 1))
            for part in (gone[: len(gone) // 2], gone[len(gone) // 2 :]):
                if part:
                    delete(lake, lake.files[-1], sorted(part))
            live += [(file.base + at, key) for at, (key, _) in enumerate(rows) if at not in gone]
        chosen = random.sample([key for key in keys if key is not None], random.randint(1, len(keys) - 1))
        source = frozen([(key, f"new {number}") for number, key in enumerate(chosen)], (other, "string"))
        pairs = found(lake, source, DELETE)
        assert pairs is not None, seed
        expected = [(address, chosen.index(key)) for address, key in live if key in chosen]
        assert sorted(zip(pairs.addresses.tolist(), pairs.numbers.tolist(), strict=True)) == sorted(expected), seed
        assert pairs.row_ids.tolist() == pairs.addresses.tolist()
        updated = found(lake, source, UPDATE, INSERT)
        assert (updated is not None) == (kind == other), seed
        if updated is not None:
            assert updated.images is not None
            images = updated.images.select(["__c1", "__c2"]).to_pylist()
            assert images == [{"__c1": chosen[n], "__c2": f"new {n}"} for n in updated.numbers.tolist()]


def test_keys_that_are_twice_delete_alone(alone: Lake) -> None:
    put(alone, [(1, "x"), (None, "y"), (2, "z")])
    source = frozen([(1, "a"), (None, "b"), (1, "c")])
    pairs = found(alone, source, DELETE)
    assert pairs is not None
    assert pairs.addresses.tolist() == [alone.files[0].base]
    for rules in ([UPDATE], [DELETE, INSERT], [INSERT]):
        assert found(alone, source, *rules) is None


def test_null_meets_no_row(alone: Lake) -> None:
    put(alone, [(None, "x"), (2, "y"), (1, "z")])
    for rules in ([DELETE], [UPDATE, INSERT]):
        pairs = found(alone, frozen([(None, "a"), (1, "b"), (None, "c"), (2, "d")]), *rules)
        assert pairs is not None
        assert (pairs.addresses - alone.files[0].base).tolist() == [1, 2]
        assert pairs.numbers.tolist() == [3, 1] or rules == [DELETE]


def test_updates_keep_and_compute_few_values(alone: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    alone.schema = schema_of("k int", "v string", "n bigint", "w string")
    for rows in ([(1, "a", 5, "p"), (2, "b", None, "q")], [(9, "c", 7, "r")], [(3, "d", 8, None), (4, "e", 1, "s")]):
        put(alone, rows)
    delete(alone, alone.files[2], [1])
    source = frozen([(3, "new 3"), (1, "new 1"), (4, "gone")])
    rule = Rule(Family.MATCHED, Act.UPDATE, None, {"v": "`s`.`v`", "n": "`t`.`n` + 1"})
    pairs = found(alone, source, rule)
    assert pairs is not None
    assert pairs.images is not None
    images = [tuple(row.values()) for row in pairs.images.select(["__c1", "__c2", "__c3", "__c4"]).to_pylist()]
    assert images == [(1, "new 1", 6, "p"), (3, "new 3", 9, None)]
    for text in ("`t`.`v`", "`s`.`k` + 1", "concat(`t`.`w`, 'x')", "9223372036854775808"):
        assert found(alone, source, Rule(Family.MATCHED, Act.UPDATE, None, {"n": text})) is None
    monkeypatch.setattr("catalog_app.engine.by_key.MOST_FOUND", 1)
    assert found(alone, source, rule) is None


def test_rows_that_keep_no_value_stay_unread(alone: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    put(alone, [(1, "x"), (2, "y")])
    read: list[object] = []
    monkeypatch.setattr(merge_by_key, "rows_at", lambda *given: read.append(given))
    pairs = found(alone, frozen([(2, "b")]), UPDATE)
    assert pairs is not None
    assert pairs.images is not None
    assert read == []


def test_conditions_beside_the_key_choose_rows(alone: Lake) -> None:
    file = put(alone, [(1, "x"), (1, "y"), (2, "x"), (3, "x"), (None, "x"), (1, None), (1, "x")])
    delete(alone, file, [6])
    source = frozen([(1, "a"), (3, "b")])
    for beside, expected in [("`v` = 'x'", [0, 3]), ("`t`.`v` = 'x' AND `k` = 1", [0]), ("`v` = 'none'", [])]:
        pairs = found(alone, source, DELETE, beside=beside)
        assert pairs is not None
        assert (pairs.addresses - file.base).tolist() == expected
    assert found(alone, source, DELETE, beside="`v` > 'x'") is None


def test_a_table_without_files_needs_no_spark(alone: Lake) -> None:
    pairs = found(alone, frozen([(1, "a"), (1, "b")]), UPDATE)
    assert pairs is not None
    assert len(pairs.addresses) == 0


def test_a_damaged_file_is_left_to_spark(alone: Lake) -> None:
    file = Path(alone.warehouse.absolute(put(alone, [(n, f"v{n}") for n in range(1000)]).path))
    source = frozen([(1, "a")])
    assert found(alone, source, DELETE) is not None
    file.write_bytes(file.read_bytes()[:2000])
    assert found(alone, source, DELETE) is None
    file.unlink()
    assert found(alone, source, DELETE) is None


def test_a_source_row_is_not_copied_without_end(alone: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    put(alone, [(1, "x")] * 1000)
    source = frozen([(1, "long" * 1000), (2, "")])
    monkeypatch.setattr(merge_by_key, "MOST_IMAGE_BYTES", 3_000_000)
    assert found(alone, source, UPDATE) is None
    assert found(alone, source, DELETE) is not None
    monkeypatch.setattr(merge_by_key, "MOST_IMAGE_BYTES", 5_000_000)
    assert found(alone, source, UPDATE) is not None


def test_wide_keys_are_left_to_spark(alone: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    alone.schema = schema_of("k string", "v string")
    put(alone, [(f"{n:0200d}", "x") for n in range(1000)])
    source = frozen([("a", "b")], ("string", "string"))
    monkeypatch.setattr(merge_by_key, "MOST_BYTES", 100_000)
    assert found(alone, source, DELETE) is None
    alone.files = []
    put(alone, [("a" * 200, "x"), ("a", "x")] * 500)
    pairs = found(alone, source, DELETE)
    assert pairs is not None
    assert len(pairs.addresses) == 500


def test_what_spark_computes_reads_no_file(alone: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    put(alone, [(1, "x")])
    monkeypatch.setattr(merge_by_key, "_matched", lambda *_: pytest.fail("a file is read"))
    for values in ({"v": "concat(`s`.`v`, 'x')"}, {"v": "`s`.`k`"}):
        assert found(alone, frozen([(1, "a")]), replace(UPDATE, values=values)) is None


def test_too_many_pairs_end_the_reading(alone: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that keep a value are few: behind the file that has too many none is read."""
    monkeypatch.setattr(merge_by_key.os, "cpu_count", lambda: 1)
    monkeypatch.setattr(merge_by_key.by_key, "MOST_FOUND", 3)
    for first in range(0, 12, 2):
        put(alone, [(first, "x"), (first + 1, "y")])
    read: list[int] = []
    matched = merge_by_key._matched

    def noted(writer: FileWriter, file: FileScan, key: Any) -> Any:
        read.append(file.base)
        return matched(writer, file, key)

    monkeypatch.setattr(merge_by_key, "_matched", noted)
    source = frozen([(key, "new") for key in range(12)])
    assert found(alone, source, replace(UPDATE, values={"v": "'const'"})) is None
    assert len(read) <= 3
    assert found(alone, source, UPDATE) is not None
