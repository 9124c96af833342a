"""Statements out of text, in the words in which ``statements`` writes them."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.differential.kinds import Kind, read
from tests.differential.statements import (
    Add,
    Alter,
    Clause,
    Create,
    Delete,
    Drop,
    Insert,
    Merge,
    Move,
    Optimize,
    Query,
    Rename,
    Replace,
    Statement,
    Update,
    Widen,
)

_PIECE = re.compile(r"'(?:[^'\\]|\\.)*'|`[^`]*`|\w+|.", re.DOTALL)
_REPLACE = r"CREATE OR REPLACE TABLE (\S+) (?:AS (.*)|\((.*)\))"
_INSERT = r"INSERT INTO (\S+)\s*(BY NAME|\((?!SELECT)[^)]*\))?\s*(.*)"
_FAMILY = r"(NOT MATCHED BY SOURCE|NOT MATCHED|MATCHED)(?: AND (.*))?"
_ALTER = r"ALTER TABLE (\S+) (ADD|DROP|RENAME|ALTER) COLUMN (\S+)\s*(.*)"


def statement(text: str) -> Statement:
    match text.split(maxsplit=1)[0]:
        case "WITH":
            return _with_common(text)
        case "CREATE" if text.startswith("CREATE OR"):
            table, query, columns = _groups(_REPLACE, text)
            return Replace(table, query=query) if query else Replace(table, _columns(columns))
        case "CREATE":
            table, columns = _groups(r"CREATE TABLE (\S+) \((.*)\)", text)
            return Create(table, _columns(columns))
        case "INSERT":
            table, into, source = _groups(_INSERT, text)
            return Insert(table, query=source, into=into or "")
        case "DELETE":
            head, *where = split(text, "WHERE")
            table, alias = _groups(r"DELETE FROM (\S+)(?: AS (\w+))?", head)
            return Delete(table, where[0] if where else "", alias or table.partition(".")[2])
        case "UPDATE":
            head, values, *where = split(text, "SET", "WHERE")
            table, alias = _groups(r"UPDATE (\S+)(?: AS (\w+))?", head)
            return Update(table, _assignments(values), where[0] if where else "", alias or table.partition(".")[2])
        case "MERGE":
            target, source, on, *rest = split(text, "USING", "ON", "WHEN", "THEN")
            (table,), (relation,) = _groups(r"MERGE INTO (\S+) AS t", target), _groups(r"(.*) AS s", source)
            return Merge(table, relation, on, tuple(map(_clause, rest[::2], rest[1::2])))
        case "OPTIMIZE":
            return Optimize(text.split()[1])
        case "ALTER":
            return _alter(*_groups(_ALTER, text))
    return Query(text)


def split(text: str, *words: str) -> list[str]:
    """The pieces between these words, outside of parentheses, quotes and CASE."""
    pieces, depth = [""], 0
    for match in _PIECE.finditer(text):
        piece = match[0]
        depth += (piece in ("(", "CASE", "[")) - (piece in (")", "END", "]"))
        if depth == 0 and piece in words:
            pieces.append("")
        else:
            pieces[-1] += piece
    return [piece.strip() for piece in pieces]


def _with_common(text: str) -> Statement:
    """A statement behind common tables."""
    for word in ("INSERT", "DELETE", "UPDATE"):
        common, *rest = split(text, word)
        if rest:
            behind = statement(f"{word} {rest[0]}")
            assert isinstance(behind, Insert | Delete | Update)
            return replace(behind, common=common.removeprefix("WITH "))
    return Query(text)


def _columns(text: str) -> tuple[tuple[str, Kind], ...]:
    # No blank follows the commas inside of a type.
    pairs = (column.split(maxsplit=1) for column in text.split(", "))
    return tuple((name, read(kind)) for name, kind in pairs)


def _groups(pattern: str, text: str) -> tuple[str, ...]:
    found = re.compile(pattern, re.DOTALL).fullmatch(text.strip())
    assert found, text
    return found.groups()


def _assignments(text: str) -> tuple[tuple[str, str], ...]:
    pairs = (part.partition("=") for part in split(text, ","))
    return tuple((column.strip(), value.strip()) for column, _, value in pairs)


def _clause(when: str, then: str) -> Clause:
    family, condition = _groups(_FAMILY, when)
    if then == "DELETE":
        return Clause(family, condition or "", "DELETE")
    action = then.split(maxsplit=1)[0]
    if then.rsplit(maxsplit=1)[-1] == "*":
        return Clause(family, condition or "", action, None)
    if action == "UPDATE":
        return Clause(family, condition or "", action, _assignments(split(then, "SET")[1]))
    columns, values = _groups(r"INSERT \(([^)]*)\) VALUES \((.*)\)", then)
    pairs = zip((name.strip() for name in columns.split(",")), split(values, ","), strict=True)
    return Clause(family, condition or "", action, tuple(pairs))


def _alter(table: str, action: str, place: str, rest: str) -> Alter:
    path = tuple(place.split("."))
    match action, rest.split():
        case "ADD", _:
            return Add(table, path, read(rest))
        case "DROP", _:
            return Drop(table, path)
        case "RENAME", ["TO", name]:
            return Rename(table, path, name)
        case _, ["TYPE", *_]:
            return Widen(table, path, read(rest.removeprefix("TYPE")))
        case _, ["AFTER", name]:
            return Move(table, path, name)
    return Move(table, path)
