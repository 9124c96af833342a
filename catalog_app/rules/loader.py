"""The rule tables, read once from their TOML files and checked to be whole.

Rows are what the source did, columns what the target did (semantics §3). Every pair of axes has exactly one
cell. The digest covers everything that decides or explains a verdict, and so binds a plan to the rules it was made by.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

from catalog_app.rules.codes import CODE_TABLE, VerdictCode

TABLE_FILES = {"database": "database", "table": "table", "keyed": "primary_key"}
"""Rule tables by the name that answers give them, in reading order. A table comes behind the one that it extends."""
TABLE_NAMES = tuple(TABLE_FILES)

CONDITIONS = frozenset(
    {
        "same key unset",
        "properties",
        "columns of constraints",
        "values of constraints",
        "columns",
        "values of required columns",
        "partitions",
        "same file deleted",
        "same file updated",
        "rows of one key",
    }
)
"""The names that cells may use; the planner has one function for each."""


class CellVerdict(StrEnum):
    OK = "ok"
    CONFLICT = "conflict"
    CONDITIONAL = "conditional"


class Origin(StrEnum):
    """Whether the seed decides a cell, or left it blank."""

    SEED = "seed"
    EXTENSION = "extension"


@dataclass(frozen=True, slots=True)
class Axis:
    """One kind of operation. ``past`` completes a sentence: "main ...", "dropped it"."""

    key: str
    label: str
    past: str


@dataclass(frozen=True, slots=True)
class Cell:
    """What happens where both operations meet. ``code`` is what a conflict of this cell is called (the usual one,
    where a condition knows several); ``condition`` names the check of a conditional cell, or of an ok cell that
    such a check may override.
    """

    source: str
    destination: str
    verdict: CellVerdict
    origin: Origin
    sentence: str
    note: str = ""
    condition: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class RuleTable:
    """``conditions`` are those that its cells name, each once, in their order."""

    name: str
    title: str
    axes: tuple[Axis, ...]
    cells: Mapping[tuple[str, str], Cell]
    conditions: tuple[str, ...] = ()
    _pasts: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._pasts.update({axis.key: axis.past for axis in self.axes})

    def past(self, axis: str) -> str:
        """What completes a sentence about an operation of that axis; "" for what is no axis."""
        return self._pasts.get(axis, "")

    def cell(self, source: str, destination: str) -> Cell:
        return self.cells[source, destination]


@dataclass(frozen=True, slots=True)
class Rules:
    """All rule tables by name, and the SHA-256 of their content."""

    tables: Mapping[str, RuleTable]
    digest: str


class RuleTableError(ValueError):
    """A rule table is not whole; the program must not start with it."""


def table_from_toml(text: str, known: Mapping[str, RuleTable] | None = None) -> RuleTable:
    """The rule table in this text, over the axes and cells of the one among ``known`` that it extends, if it does.
    Raises RuleTableError unless each pair of axes has exactly one sound cell.
    """
    content = tomllib.loads(text)
    extended = (known or {}).get(content.get("extends", ""))
    if extended is None and "extends" in content:
        raise RuleTableError(f"{content['name']}: extends {content['extends']!r}, which is not known")
    axes = extended.axes if extended else tuple(Axis(**axis) for axis in content["axis"])
    cells = _own_cells(content)
    if extended:
        cells = {**extended.cells, **cells}
    keys = [axis.key for axis in axes]
    wanted = {(source, destination) for source in keys for destination in keys}
    if len(set(keys)) != len(keys) or set(cells) != wanted:
        raise RuleTableError(f"{content['name']}: cells and axes differ by {sorted(set(cells) ^ wanted)}")
    conditions = dict.fromkeys(cell.condition for cell in cells.values() if cell.condition)
    return RuleTable(content["name"], content["title"], axes, cells, tuple(conditions))


def _own_cells(content: Mapping[str, Any]) -> dict[tuple[str, str], Cell]:
    cells: dict[tuple[str, str], Cell] = {}
    for entry in content["cell"]:
        cell = Cell(**{**entry, "verdict": CellVerdict(entry["verdict"]), "origin": Origin(entry["origin"])})
        if (cell.source, cell.destination) in cells:
            raise RuleTableError(f"{content['name']}: two cells for {cell.source} x {cell.destination}")
        _check_cell(content["name"], cell)
        cells[cell.source, cell.destination] = cell
    return cells


def _check_cell(table: str, cell: Cell) -> None:
    where = f"{table}: {cell.source} x {cell.destination}"
    if cell.code and (cell.code not in set(VerdictCode) or not CODE_TABLE[VerdictCode(cell.code)].is_conflict):
        raise RuleTableError(f"{where}: {cell.code!r} is not the code of a conflict")
    if (cell.verdict is CellVerdict.OK) == bool(cell.code):
        raise RuleTableError(f"{where}: a cell has a code if and only if it can conflict by itself")
    if cell.verdict is CellVerdict.CONDITIONAL and not cell.condition:
        raise RuleTableError(f"{where}: a conditional cell needs a condition")
    if cell.verdict is CellVerdict.CONFLICT and cell.condition:
        raise RuleTableError(f"{where}: a conflict needs no condition")
    if cell.condition and cell.condition not in CONDITIONS:
        raise RuleTableError(f"{where}: unknown condition {cell.condition!r}")
    if not cell.sentence:
        raise RuleTableError(f"{where}: a cell explains itself in a sentence")


PLAN_FORMAT = 9
"""Raised when a fingerprint comes to be made of a plan in another way. As a part of the digest it has every known plan
made anew, and what was approved of the old ones looked at again.
"""


@cache
def load_rules() -> Rules:
    """The rule tables that come with the program."""
    folder = files("catalog_app.rules")
    tables: dict[str, RuleTable] = {}
    for name, file in TABLE_FILES.items():
        tables[name] = table_from_toml((folder / f"{file}.toml").read_text(encoding="utf-8"), tables)
    judged_by = [PLAN_FORMAT, *(_table_as_json(table) for table in tables.values())]
    content = json.dumps(judged_by, sort_keys=True, ensure_ascii=True)
    return Rules(tables, hashlib.sha256(content.encode()).hexdigest())


def rules_as_json() -> dict[str, Any]:
    """Rule tables and codes for people and pages: ``tables`` in reading order, ``codes``, and the digest."""
    rules = load_rules()
    return {
        "digest": rules.digest,
        "tables": [_table_as_json(rules.tables[name]) for name in TABLE_NAMES],
        "codes": [
            {
                "code": code.value,
                "title": text.title,
                "remedy": text.remedy,
                "kind": "conflict" if text.is_conflict else "note",
            }
            for code, text in CODE_TABLE.items()
        ],
    }


def _table_as_json(table: RuleTable) -> dict[str, Any]:
    keys = [axis.key for axis in table.axes]
    return {
        "name": table.name,
        "title": table.title,
        "axes": [asdict(axis) for axis in table.axes],
        "cells": [asdict(table.cell(source, destination)) for source in keys for destination in keys],
    }
