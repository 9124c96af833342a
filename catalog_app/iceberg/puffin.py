"""Deletion vectors of format version 3: positions of one data file that are gone, as a bitmap in a file of Puffin."""

from __future__ import annotations

import json
import zlib
from array import array
from collections.abc import Iterable

from pyroaring import BitMap64

MAGIC = b"PFA1"
VECTOR_OFFSET = len(MAGIC)
"""Where the vector begins in its file."""
_VECTOR_MAGIC = bytes.fromhex("d1d33964")
_POSITION_FIELD = 2147483645
_NO_FLAGS = bytes(4)
_LONGEST = 2**63 - 1


def vector_file(location: str, positions: Iterable[int]) -> bytes:
    """The file for positions, from 0, of the data file at ``location``."""
    bitmap = BitMap64(array("Q", positions))
    bitmap.run_optimize()
    said = _VECTOR_MAGIC + bitmap.serialize()
    vector = len(said).to_bytes(4, "big") + said + zlib.crc32(said).to_bytes(4, "big")
    return MAGIC + vector + _footer(location, len(vector), len(bitmap))


def vector_length(location: str, size: int) -> int:
    """How long the vector is in a file of ``size`` bytes."""
    return size - VECTOR_OFFSET - len(_footer(location, 0, 0))


def _footer(location: str, length: int, count: int) -> bytes:
    """Padded, so that its length follows from the location alone."""
    payload = _payload(location, length, count).ljust(len(_payload(location, _LONGEST, _LONGEST)))
    return MAGIC + payload + len(payload).to_bytes(4, "little") + _NO_FLAGS + MAGIC


def _payload(location: str, length: int, count: int) -> bytes:
    blob = {
        "type": "deletion-vector-v1",
        "fields": [_POSITION_FIELD],
        # The file was made for whoever reads it, not by the snapshot that names it.
        "snapshot-id": -1,
        "sequence-number": -1,
        "offset": VECTOR_OFFSET,
        "length": length,
        "properties": {"referenced-data-file": location, "cardinality": str(count)},
    }
    return json.dumps({"blobs": [blob], "properties": {"created-by": "lakeui"}}).encode()
