"""A kept result as a value: rows of a query that lie in Parquet files, in their order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class KeptFile:
    """``columns``: what the columns of the result are called in the file, by place."""

    path: str
    rows: int
    bytes: int
    columns: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        return {"path": self.path, "rows": self.rows, "bytes": self.bytes, "columns": list(self.columns)}


@dataclass(frozen=True, slots=True)
class KeptRows:
    """``columns`` are (name, Spark type text). Their names may repeat. There is at least one file, without rows too."""

    columns: tuple[tuple[str, str], ...]
    files: tuple[KeptFile, ...]

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)


def kept_files_read(found: Iterable[dict[str, Any]]) -> tuple[KeptFile, ...]:
    """The files of their JSON."""
    return tuple(KeptFile(file["path"], file["rows"], file["bytes"], tuple(file["columns"])) for file in found)


def names_apart(names: Iterable[str]) -> list[str]:
    """Names that repeat in a result get a number: a file has each once."""
    names = list(names)
    taken = set(names)
    found: list[str] = []
    known: dict[str, int] = {}
    for name in names:
        number = known[name] = known.get(name, 0) + 1
        apart = name
        while number > 1 and apart in taken:
            apart, number = f"{name}_{number}", number + 1
        taken.add(apart)
        found.append(apart)
    return found
