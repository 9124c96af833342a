"""Landing zones: folders of a pipeline that files are sent to, each read as one relation (rows.md §4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jinja2 import Environment, TemplateSyntaxError, nodes

from catalog_app.domain.types import parse_type, widens
from catalog_app.importing.text_types import LARGEST_PRECISION
from lakeui.common.errors import InvalidValue

DATABASE = "landing zone"
"""Stands for a database in the query of a run. No database gets in its way: runs look at their own names first."""
HELPER = "landing"

_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
_NUMBERS = frozenset({*_DIGITS, "decimal", "float", "double"})


@dataclass(frozen=True, slots=True)
class LandedColumn:
    """A column of a file: ``type`` as it is read. ``is_text``: the file has texts, as CSV does, which any type may be
    read from. ``is_empty``: no row has a value, so that any type fits.
    """

    name: str
    type: str
    is_text: bool
    is_empty: bool


@dataclass(frozen=True, slots=True)
class LandedFile:
    """A file of a zone, as far as its columns go."""

    name: str
    columns: tuple[LandedColumn, ...]


def zone_columns(zone: str, files: Sequence[LandedFile]) -> list[tuple[str, str]]:
    """(name, type) of every column that some file has, in the order in which they come up; names are compared without
    case. Raises InvalidValue where two files have types of which none holds the values of both.
    """
    names: dict[str, str] = {}
    for file in files:
        for column in file.columns:
            names.setdefault(column.name.casefold(), column.name)
    return [(name, _type_of(zone, name, list(_having(files, folded)))) for folded, name in names.items()]


def lacking(files: Sequence[LandedFile], columns: Sequence[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """By file, the columns of the zone that it lacks; files that have all are left out."""
    found = []
    for file in files:
        known = {column.name.casefold() for column in file.columns}
        missing = [name for name, _ in columns if name.casefold() not in known]
        if missing:
            found.append((file.name, missing))
    return found


def zones_named(source: str) -> list[str]:
    """The zones that a template names by a text of its own, in order. Those that it computes are not known."""
    try:
        tree = Environment(autoescape=False).parse(source)  # noqa: S701 - SQL is made, and nothing is rendered here
    except TemplateSyntaxError:
        return []
    found: dict[str, None] = {}
    for call in tree.find_all(nodes.Call):
        is_landing = isinstance(call.node, nodes.Name) and call.node.name == HELPER
        if is_landing and call.args and isinstance(call.args[0], nodes.Const):
            found[str(call.args[0].value)] = None
    return list(found)


def _having(files: Sequence[LandedFile], folded: str) -> Iterator[tuple[str, LandedColumn]]:
    for file in files:
        for column in file.columns:
            if column.name.casefold() == folded:
                yield file.name, column


def _type_of(zone: str, name: str, having: Sequence[tuple[str, LandedColumn]]) -> str:
    filled = [(file, column) for file, column in having if not column.is_empty]
    if not filled:
        return having[0][1].type
    (first, column), *others = filled
    found = column.type
    for file, other in others:
        joined = _joined(found, other.type)
        if joined is None and all(item.is_text for _, item in filled):
            return "string"
        if joined is None:
            raise InvalidValue(
                f"The files of the landing zone {zone} disagree on the column {name}: it is {found} in {first},"
                f" and {other.type} in {file}.",
                remedy="Remove one of the files, or send it with that column in the type of the others.",
                column=name,
            )
        if joined != found:
            first, found = file, joined
    return found


def _joined(one: str, other: str) -> str | None:
    """The type that holds the values of both, None without one."""
    if widens(one, other):
        return other
    if widens(other, one):
        return one
    first, second = parse_type(one), parse_type(other)
    kinds = {first.name, second.name}
    if not kinds <= _NUMBERS:
        return None
    if kinds & {"float", "double"}:
        return "double"
    pairs = [(_DIGITS[kind.name], 0) if kind.name in _DIGITS else kind.parameters for kind in (first, second)]
    scale = max(pair[1] for pair in pairs)
    precision = scale + max(pair[0] - pair[1] for pair in pairs)
    return f"decimal({precision},{scale})" if precision <= LARGEST_PRECISION else None
