"""What a file holds, by its bytes; its name only helps to warn."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import BinaryIO

from catalog_app.importing.spec import FileFormat
from lakeui.common.errors import InvalidValue

CHUNK_BYTES = 1024 * 1024
_PARQUET = b"PAR1"
ARROW_FILE, _ARROW_STREAM = b"ARROW1\x00\x00", b"\xff\xff\xff\xff"
_ARROW_FILE_END, _ARROW_STREAM_END = b"ARROW1", b"\xff\xff\xff\xff\x00\x00\x00\x00"
_JSON_STARTS = (b"{", b"[")
_SUFFIXES = {
    ".csv": FileFormat.CSV,
    ".tsv": FileFormat.CSV,
    ".txt": FileFormat.CSV,
    ".json": FileFormat.JSON,
    ".jsonl": FileFormat.JSON,
    ".ndjson": FileFormat.JSON,
    ".parquet": FileFormat.PARQUET,
    ".arrow": FileFormat.ARROW,
    ".arrows": FileFormat.ARROW,
    ".feather": FileFormat.ARROW,
}
_PACKED_SUFFIXES = (".gz", ".gzip", ".zst", ".zstd", ".bz2")
_OTHERS = {
    b"\x1f\x8b": "compressed twice, by gzip inside",
    b"PK\x03\x04": "a ZIP archive or an Excel workbook",
    b"\x28\xb5\x2f\xfd": "compressed twice, by zstd inside",
    b"BZh": "compressed twice, by bzip2 inside",
    b"Obj\x01": "an Avro file",
    b"ORC": "an ORC file",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"%PDF": "a PDF document",
}


def binary_format_of(path: Path) -> FileFormat | None:
    """The format of a file that is no text; None where it may be text. Raises InvalidValue for an empty file and for
    what is none of the formats.
    """
    with path.open("rb") as file:
        start = file.read(CHUNK_BYTES)
        if start.startswith(_PARQUET):
            return _whole(file, FileFormat.PARQUET, _PARQUET)
        if start.startswith(ARROW_FILE):
            return _whole(file, FileFormat.ARROW, _ARROW_FILE_END)
        if start.startswith(_ARROW_STREAM):
            return _whole(file, FileFormat.ARROW, _ARROW_STREAM_END)
    other = next((what for magic, what in _OTHERS.items() if start.startswith(magic)), None)
    if other is not None:
        raise InvalidValue(f"The file is {other}.", remedy="Unpack it or save it as CSV, JSON, Parquet or Arrow.")
    return None


def text_format_of(path: Path) -> FileFormat:
    """The format of a text in UTF-8. Raises InvalidValue for an empty one."""
    with path.open("rb") as file:
        text = file.read(CHUNK_BYTES).removeprefix(codecs.BOM_UTF8).lstrip()
    if not text:
        raise InvalidValue("The file is empty.", remedy="Choose a file with at least one row.")
    return FileFormat.JSON if text.startswith(_JSON_STARTS) else FileFormat.CSV


def _whole(file: BinaryIO, found: FileFormat, end: bytes) -> FileFormat:
    """The format, if the file ends as it has to."""
    size = file.seek(0, 2)
    file.seek(max(0, size - len(end)))
    if file.read() != end:
        raise InvalidValue(
            f"The {found.value.capitalize()} file is cut off: its end is missing.", remedy="Upload it again."
        )
    return found


def name_warning(name: str, found: FileFormat) -> str | None:
    """What to say about a name that promises another format."""
    suffixes = [suffix for suffix in Path(name.lower()).suffixes if suffix not in _PACKED_SUFFIXES]
    promised = _SUFFIXES.get(suffixes[-1]) if suffixes else None
    if promised is None or promised is found:
        return None
    return f"The name says {promised.value.upper()}, but the file holds {found.value.upper()} and is read as that."
