"""Deletion vectors as PyIceberg reads them."""

from __future__ import annotations

import json

import pytest
from pyiceberg.table.deletion_vector import deletion_vectors_from_puffin_file
from pyiceberg.table.puffin import PuffinFile

from catalog_app.iceberg.puffin import VECTOR_OFFSET, vector_file, vector_length

LOCATION = 'file:///w/a b="ä".parquet'
POSITIONS = [[0], [7], [3, 7, 9], list(range(100_000)), list(range(0, 90_000, 2)), [1, 2**32 - 1, 2**32, 2**33 + 5]]


@pytest.mark.parametrize("positions", POSITIONS, ids=lambda positions: f"{len(positions)} from {positions[0]}")
def test_a_vector_reads_back_as_its_positions(positions: list[int]) -> None:
    (vector,) = deletion_vectors_from_puffin_file(PuffinFile(vector_file(LOCATION, positions)))
    assert vector.referenced_data_file == LOCATION
    assert vector.to_vector().to_pylist() == positions


@pytest.mark.parametrize("positions", POSITIONS, ids=lambda positions: f"{len(positions)} from {positions[0]}")
def test_a_vectors_place_follows_from_its_files_size(positions: list[int]) -> None:
    content = vector_file(LOCATION, positions)
    (blob,) = PuffinFile(content).footer.blobs
    assert (blob.offset, blob.length) == (VECTOR_OFFSET, vector_length(LOCATION, len(content)))
    assert blob.properties == {"referenced-data-file": LOCATION, "cardinality": str(len(positions))}
    said = content[blob.offset : blob.offset + blob.length]
    assert int.from_bytes(said[:4], "big") == len(said) - 8


def test_a_run_of_positions_takes_few_bytes() -> None:
    content = vector_file(LOCATION, range(1_000_000))
    assert vector_length(LOCATION, len(content)) < 1000
    assert json.loads(content[content.rindex(b'{"blobs"') : -12])["blobs"][0]["snapshot-id"] == -1
