"""What a file holds, told by its bytes; its name only helps to warn."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import BinaryIO

from catalog_app.importing.values import FileFormat
from lakeui.common.errors import InvalidValue

CHUNK_BYTES = 1024 * 1024
_PARQUET = b"PAR1"
ARROW_FILE, _ARROW_STREAM = b"ARROW1\x00\x00", b"\xff\xff\xff\xff"
_ARROW_FILE_END, _ARROW_STREAM_END = b"ARROW1", b"\xff\xff\xff\xff\x00\x00\x00\x00"
_JSON_STARTS = (b"{", b"[")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
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
_OTHERS = {
    b"\x1f\x8b": "compressed by gzip",
    b"PK\x03\x04": "a ZIP archive or an Excel workbook",
    b"\x28\xb5\x2f\xfd": "compressed by zstd",
    b"BZh": "compressed by bzip2",
    b"Obj\x01": "an Avro file",
    b"ORC": "an ORC file",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"%PDF": "a PDF document",
}


def format_of(path: Path) -> FileFormat:
    """The format of a file's content. Raises InvalidValue for an empty file and for what is none of these."""
    with path.open("rb") as file:
        start = file.read(CHUNK_BYTES)
        if not start.removeprefix(codecs.BOM_UTF8).strip():
            raise InvalidValue("The file is empty.", remedy="Choose a file with at least one row.")
        if start.startswith(_PARQUET):
            return _whole(file, FileFormat.PARQUET, _PARQUET)
        if start.startswith(ARROW_FILE):
            return _whole(file, FileFormat.ARROW, _ARROW_FILE_END)
        if start.startswith(_ARROW_STREAM):
            return _whole(file, FileFormat.ARROW, _ARROW_STREAM_END)
    other = next((what for magic, what in _OTHERS.items() if start.startswith(magic)), None)
    if other is not None:
        raise InvalidValue(f"The file is {other}.", remedy="Unpack it or save it as CSV, JSON, Parquet or Arrow.")
    text = start.removeprefix(codecs.BOM_UTF8).lstrip()
    require_text(path)
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


def require_text(path: Path) -> None:
    """Raise InvalidValue with the line where the file is not text in UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines = 1
    with path.open("rb") as file:
        if file.read(2) in _UTF_16:
            raise InvalidValue("The file is text in UTF-16.", remedy="Save it as UTF-8.")
        file.seek(0)
        while chunk := file.read(CHUNK_BYTES):
            if b"\x00" in chunk:
                raise _not_text(lines + chunk.count(b"\n", 0, chunk.index(b"\x00")))
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError as error:
                raise _not_text(lines + error.object.count(b"\n", 0, error.start)) from None
            lines += chunk.count(b"\n")
        try:
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            raise _not_text(lines) from None


def _not_text(line: int) -> InvalidValue:
    return InvalidValue(
        f"Line {line:,} is not text in UTF-8.",
        remedy="Save the file as UTF-8; CSV, JSON, Parquet and Arrow are taken.",
        line=line,
    )


def name_warning(name: str, found: FileFormat) -> str | None:
    """What to say about a name that promises another format."""
    promised = _SUFFIXES.get(Path(name).suffix.lower())
    if promised is None or promised is found:
        return None
    return f"The name says {promised.value.upper()}, but the file holds {found.value.upper()} and is read as that."
