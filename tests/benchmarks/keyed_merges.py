"""Keyed merges into Parquet data sets on disk: three sizes, three strategies, both ways to match.

Every run has a process of its own, so that its memory is its own, and a fresh copy of the data set. A batch is 1% of
the rows, half of them known, in 5 files: the newest, as they come in practice.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from merge_app.upsert import Implementation, MergeResult, Strategy, merge
from tests.benchmarks.lake import Figure, peak_memory

SIZES = ((10_000, 5), (1_000_000, 50), (10_000_000, 500))
"""Rows and files of the data sets that seed 002 asks for."""
TOUCHED = 5
ROUNDS = 11
NOISE = 1.1
"""Two equal runs differ by so much on a shared machine."""


@dataclass(frozen=True)
class _Run:
    seconds: float
    peak: int
    result: MergeResult


def figures(*, largest: int) -> Iterator[Figure]:
    """``largest``: data sets of more rows are left out."""
    with tempfile.TemporaryDirectory(prefix="lakeui-bench-keyed-") as folder:
        for rows, files in SIZES:
            if rows <= largest:
                yield from _of_size(Path(folder), rows, files)


def _of_size(home: Path, rows: int, files: int) -> Iterator[Figure]:
    dataset, batch = home / f"{rows}", home / f"{rows}-batch.parquet"
    _dataset_write(dataset, rows, files)
    pq.write_table(_batch(rows, files), batch)
    for strategy in Strategy:
        # By turns, and each the first as often: what slows the machine down slows both.
        turns = [list(Implementation), list(reversed(Implementation))]
        rounds = [
            {kind: _run(home, dataset, batch, strategy, kind) for kind in turns[number % 2]}
            for number in range(ROUNDS + 1)
        ][1:]
        medians = {kind: statistics.median(found[kind].seconds for found in rounds) for kind in Implementation}
        for kind in Implementation:
            what = f"keyed {strategy.value} into {rows:,} rows, {files} files, {kind.value}"
            yield Figure(f"{what}: s", medians[kind])
            yield Figure(f"{what}: MB", max(found[kind].peak for found in rounds) / 1e6)
            yield from _files(what, strategy, rounds[-1][kind].result)
        ratio = medians[Implementation.NATIVE] / medians[Implementation.FALLBACK]
        yield Figure(f"keyed {strategy.value} into {rows:,} rows: native / fallback", ratio, at_most=NOISE)


def _files(what: str, strategy: Strategy, result: MergeResult) -> Iterator[Figure]:
    yield Figure(f"{what}: files read", result.files_scanned, at_most=TOUCHED)
    yield Figure(f"{what}: files replaced", result.files_removed, at_most=TOUCHED if strategy.updates else 0)


def _dataset_write(folder: Path, rows: int, files: int) -> None:
    folder.mkdir()
    each = rows // files
    for number in range(files):
        pq.write_table(_rows(np.arange(number * each, (number + 1) * each)), folder / f"part-{number:05}.parquet")


def _batch(rows: int, files: int) -> pa.Table:
    """Half updates, spread over the last files; half new keys."""
    half = rows // 200
    known = np.linspace(rows - TOUCHED * (rows // files), rows - 1, half).astype(np.int64)
    return _rows(np.concatenate([known, np.arange(rows, rows + half)]), salt=1)


def _rows(keys: np.ndarray[tuple[int], np.dtype[np.int64]], salt: int = 0) -> pa.Table:
    """Rows of a key and of columns of several types."""
    random = np.random.default_rng(int(keys[0]) + salt)
    return pa.table(
        {
            "id": keys,
            "amount": random.random(len(keys)),
            "quantity": random.integers(0, 90, len(keys)).astype(np.int16),
            "customer": pa.array([f"customer {number}" for number in random.integers(0, 200_000, len(keys))]),
            "ordered_at": pa.array(1_700_000_000_000_000 + keys, pa.timestamp("us", "UTC")),
        }
    )


def _run(home: Path, dataset: Path, batch: Path, strategy: Strategy, implementation: Implementation) -> _Run:
    copy = home / "run"
    shutil.copytree(dataset, copy, copy_function=os.link)
    try:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
            return process.submit(_measured, copy, batch, strategy, implementation).result()
    finally:
        shutil.rmtree(copy)


def _measured(dataset: Path, batch: Path, strategy: Strategy, implementation: Implementation) -> _Run:
    """In a process of its own: seconds, and by how many bytes the process grew."""
    given = pq.read_table(batch)
    before = peak_memory()
    began = time.perf_counter()
    result = merge(given, dataset, strategy.value, "id", use_merge=implementation is Implementation.NATIVE)
    return _Run(time.perf_counter() - began, peak_memory() - before, result)
