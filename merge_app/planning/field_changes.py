"""What a change of a nested column sets, field by field, and what it overrides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from catalog_app.domain.nested import fields_within
from catalog_app.domain.operations import ColumnChange
from catalog_app.domain.types import Field, ParsedType, parse_identified


def field_settings(before: str | None, after: str | None) -> Iterator[tuple[int, str]]:
    """What a change sets of fields: (field id, "name", "type" or "exists")."""
    old, new = (_by_id(text) for text in (before, after))
    for identifier in old.keys() | new.keys():
        one, other = old.get(identifier), new.get(identifier)
        if one is None or other is None:
            yield identifier, "exists"
            continue
        if one.name != other.name:
            yield identifier, "name"
        if not one.type.fields and one.type.text != other.type.text:
            yield identifier, "type"


def _by_id(text: str | None) -> dict[int, Field]:
    if text is None:
        return {}
    return {identifier: item for item in fields_within(parse_identified(text)) for identifier in item.ids}


def paths_changed(before: str | None, after: str | None, column: str) -> list[str]:
    """The fields that a change adds, drops, renames or retypes, as paths; the column itself where only the order of
    its fields changes.
    """
    if before is None or after is None:
        return [column]
    changed = {identifier for identifier, _ in field_settings(before, after)}
    found: dict[int, str] = {}
    for text in (before, after):
        found |= dict(_paths(parse_identified(text), column))
    return list(dict.fromkeys(path for identifier, path in found.items() if identifier in changed)) or [column]


def _paths(kind: ParsedType, path: str) -> Iterator[tuple[int, str]]:
    for item in kind.fields:
        label = f"{path}.{item.name}" if path else item.name
        for identifier in item.ids:
            yield identifier, label
        yield from _paths(item.type, label)


@dataclass(frozen=True, slots=True)
class OverriddenName:
    """A field that both sides renamed: its path as it was, and what each calls it."""

    path: str
    source: str
    destination: str


def fields_overridden(source: ColumnChange, target: ColumnChange) -> Iterator[OverriddenName]:
    """The fields that both sides gave another name, which is not the same."""
    old, new, other = (_by_id(text) for text in (source.before, source.after, target.after))
    paths = {} if source.before is None else dict(_paths(parse_identified(source.before), ""))
    for identifier in old.keys() & new.keys() & other.keys():
        names = old[identifier].name, new[identifier].name, other[identifier].name
        if len(set(names)) == len(names):
            yield OverriddenName(paths[identifier], names[1], names[2])


def fields_dropped_over(source: ColumnChange, target: ColumnChange) -> Iterator[str]:
    """The fields that the source dropped and the target changed, as paths."""
    old, new = _by_id(source.before), _by_id(source.after)
    changed = {identifier for identifier, what in field_settings(target.before, target.after) if what != "exists"}
    paths = {} if source.before is None else dict(_paths(parse_identified(source.before), ""))
    yield from (paths[identifier] for identifier in old.keys() - new.keys() if identifier in changed)
