"""What a change of a nested column sets, field by field: what later changes leave of it, and what it overrides."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from catalog_app.domain.nested import field_of, fields_within
from catalog_app.domain.operations import ColumnChange
from catalog_app.domain.types import Field, ParsedType, nested_type, parse_identified


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


def without_settings(before: str, after: str, overruled: Collection[tuple[int, str]]) -> str:
    """``after`` without the settings that are overruled: such a field is there as it was before."""
    old = _by_id(before)
    return _kept(parse_identified(before), parse_identified(after), old, overruled).identified


def _kept(
    before: ParsedType, after: ParsedType, old: dict[int, Field], overruled: Collection[tuple[int, str]]
) -> ParsedType:
    if not after.fields or before.name != after.name:
        return after
    fields = []
    for item in after.fields:
        known = next((old[identifier] for identifier in item.ids if identifier in old), None)
        if known is None:
            if not _is_overruled(item, "exists", overruled):
                fields.append(item)
            continue
        name = known.name if _is_overruled(item, "name", overruled) else item.name
        kind = known.type if _is_overruled(item, "type", overruled) else item.type
        fields.append(replace(item, name=name, type=_kept(known.type, kind, old, overruled)))
    fields += [
        item
        for item in before.fields
        if field_of(item, after.fields) is None and _is_overruled(item, "exists", overruled)
    ]
    return nested_type(after.name, fields)


def _is_overruled(item: Field, setting: str, overruled: Collection[tuple[int, str]]) -> bool:
    return any((identifier, setting) in overruled for identifier in item.ids)


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


def fields_overridden(mine: ColumnChange, theirs: ColumnChange) -> Iterator[OverriddenName]:
    """The fields that both sides gave another name, which is not the same."""
    old, new, other = (_by_id(text) for text in (mine.before, mine.after, theirs.after))
    paths = {} if mine.before is None else dict(_paths(parse_identified(mine.before), ""))
    for identifier in old.keys() & new.keys() & other.keys():
        names = old[identifier].name, new[identifier].name, other[identifier].name
        if len(set(names)) == len(names):
            yield OverriddenName(paths[identifier], names[1], names[2])


def fields_dropped_over(mine: ColumnChange, theirs: ColumnChange) -> Iterator[str]:
    """The fields that the source dropped and the destination changed, as paths."""
    old, new = _by_id(mine.before), _by_id(mine.after)
    changed = {identifier for identifier, what in field_settings(theirs.before, theirs.after) if what != "exists"}
    paths = {} if mine.before is None else dict(_paths(parse_identified(mine.before), ""))
    yield from (paths[identifier] for identifier in old.keys() - new.keys() if identifier in changed)
