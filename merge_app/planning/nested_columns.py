"""Changes of fields inside of a column, applied to what another branch made of the column (semantics §3 A6).

Fields are judged like columns: by id, names on what comes out, types by widening. A change is the column's type before
and after it, ids included; nothing here looks at anything else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from catalog_app.domain.nested import field_of, fields_within
from catalog_app.domain.types import Field, ParsedType, nested_type, widens
from catalog_app.rules.codes import VerdictCode
from merge_app.planning.findings import Problem


@dataclass(frozen=True, slots=True)
class AppliedFields:
    """The column's type afterwards, and why it may not be made. ``column`` of a problem's details: the field's path."""

    kind: ParsedType
    problems: tuple[Problem, ...] = ()


def fields_apply(
    before: ParsedType,
    after: ParsedType,
    present: ParsedType,
    *,
    column: str,
    source: ParsedType | None = None,
    replaces_rows: bool = False,
) -> AppliedFields:
    """Apply what makes ``after`` of ``before`` on the ``present`` type of a column. ``source`` is the type in which the
    source ended: fields that it added are taken from there, as earlier merges may have made them one with others.
    ``replaces_rows``: a type may also become narrower where it is found as it was, as all rows come with it.
    """
    known = {} if source is None else {i: item for item in fields_within(source) for i in item.ids}
    applied = _Applied(replaces_rows, known)
    return AppliedFields(applied.kind(before, after, present, column), tuple(applied.problems))


def fields_join(kind: ParsedType, other: ParsedType, *, column: str) -> AppliedFields:
    """One column of two that were added under one name: it keeps the ids of ``kind`` and has the fields of both."""
    applied = _Applied(replaces_rows=False)
    return AppliedFields(applied.joined(kind, other, column), tuple(applied.problems))


@dataclass(slots=True)
class _Applied:
    """``source``: the source's fields by id, as they ended there."""

    replaces_rows: bool
    source: Mapping[int, Field] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def kind(self, before: ParsedType, after: ParsedType, present: ParsedType, path: str) -> ParsedType:
        if before.identified == after.identified:
            return present
        if not (before.fields and before.name == after.name == present.name):
            return self._retyped(present, after, path, replaced=self.replaces_rows and present.text == before.text)
        if before.name == "struct":
            return self._struct(before, after, present, path)
        trios = zip(before.fields, after.fields, present.fields, strict=True)
        return nested_type(
            present.name,
            (
                replace(existing, type=self.kind(old.type, new.type, existing.type, f"{path}.{existing.name}"))
                for old, new, existing in trios
            ),
        )

    def _struct(self, before: ParsedType, after: ParsedType, present: ParsedType, path: str) -> ParsedType:
        gone = [old for old in before.fields if field_of(old, after.fields) is None]
        left = [existing for existing in present.fields if not any(field_of(old, [existing]) for old in gone)]
        named: set[int] = set()
        for given in after.fields:
            old = field_of(given, before.fields)
            new = given if old is not None else next((self.source[i] for i in given.ids if i in self.source), given)
            existing = field_of(new, left) or (_twin(new, left, before) if old is None else None)
            if existing is None:
                if old is not None:
                    self._report_missing(old, new, f"{path}.{old.name}")
                    continue
                named.add(len(left))
                left.append(new)
                continue
            label = f"{path}.{new.name}"
            made = (
                self._altered(old, new, existing, label)
                if old is not None
                else self._joined_field(existing, new, label)
            )
            place = left.index(existing)
            if made.name != existing.name:
                named.add(place)
            left[place] = made
        self._check_names(left, named, path)
        is_in_order = _order(before.fields, present.fields) == _order(present.fields, before.fields)
        return nested_type("struct", _in_order_of(left, after.fields) if is_in_order else left)

    def _altered(self, old: Field, new: Field, existing: Field, path: str) -> Field:
        name = new.name if new.name != old.name else existing.name
        return Field(
            name, self.kind(old.type, new.type, existing.type, path), existing.suffix, _both_ids(existing, new)
        )

    def _joined_field(self, existing: Field, new: Field, path: str) -> Field:
        return Field(new.name, self.joined(existing.type, new.type, path), existing.suffix, _both_ids(existing, new))

    def joined(self, kind: ParsedType, other: ParsedType, path: str) -> ParsedType:
        """What both sides added under one name: all fields of both."""
        if not (kind.fields and kind.name == other.name):
            return self._retyped(kind, other, path)
        if kind.name != "struct":
            pairs = zip(kind.fields, other.fields, strict=True)
            return nested_type(kind.name, (self._joined_field(f, o, f"{path}.{f.name}") for f, o in pairs))
        fields = list(kind.fields)
        for new in other.fields:
            existing = field_of(new, fields) or next((f for f in fields if _same_name(f, new)), None)
            if existing is None:
                fields.append(new)
            else:
                fields[fields.index(existing)] = self._joined_field(existing, new, f"{path}.{new.name}")
        return nested_type("struct", fields)

    def _retyped(self, present: ParsedType, wanted: ParsedType, path: str, *, replaced: bool = False) -> ParsedType:
        if replaced or widens(present.text, wanted.text):
            return wanted if not present.fields or replaced else present
        says = (
            f"The source makes {path} {wanted.text}, but it is {present.text} on the target,"
            f" which does not widen to {wanted.text}."
        )
        types = {"destination_type": present.text, "source_type": wanted.text}
        self._add(VerdictCode.COLUMN_TYPE_NARROWING, path, says, note="A6.1", **types)
        return present

    def _report_missing(self, old: Field, new: Field, path: str) -> None:
        if (old.name, old.type.identified) == (new.name, new.type.identified):
            return
        self._add(VerdictCode.COLUMN_MISSING, path, f"The source changed {path}, which the target dropped.")

    def _check_names(self, fields: Sequence[Field], named: Collection[int], path: str) -> None:
        """A field that the source named must be alone in bearing its name."""
        for place, item in enumerate(fields):
            others = [p for p, other in enumerate(fields) if p != place and _same_name(other, item)]
            # Of two fields that the source named, both ends of the pair would be reported.
            if place in named and others and not any(p in named and p < place for p in others):
                label = f"{path}.{item.name}"
                says = f"The source calls a field {label}, which another field of the target is called."
                self._add(VerdictCode.COLUMN_NAME_TAKEN, label, says)

    def _add(self, code: VerdictCode, path: str, message: str, note: str = "A6", **details: Any) -> None:
        self.problems.append(Problem(("column", "column"), code, note, message, {"column": path, **details}))


def _twin(new: Field, fields: Sequence[Field], before: ParsedType) -> Field | None:
    """The field of this name that the target added: then both mean the same one."""
    return next((f for f in fields if _same_name(f, new) and field_of(f, before.fields) is None), None)


def _both_ids(existing: Field, other: Field) -> tuple[int, ...]:
    return (*existing.ids, *(identifier for identifier in other.ids if identifier not in existing.ids))


def _same_name(one: Field, other: Field) -> bool:
    return one.name.casefold() == other.name.casefold()


def _order(fields: Sequence[Field], known: Sequence[Field]) -> list[int | str]:
    """The fields that ``known`` has too, in their order, as something that is the same on both sides."""
    found: list[int | str] = []
    for item in fields:
        same = field_of(item, known)
        if same is not None:
            shared = sorted(set(item.ids) & set(same.ids))
            found.append(shared[0] if shared else item.name.casefold())
    return found


def _in_order_of(fields: Sequence[Field], wanted: Sequence[Field]) -> list[Field]:
    """In the order of the source; a field that it does not have stays behind the one that it stands behind."""
    known = [item for new in wanted if (item := field_of(new, fields)) is not None]
    ordered = list(known)
    for place, item in enumerate(fields):
        if item not in known:
            previous = fields[place - 1] if place else None
            ordered.insert(ordered.index(previous) + 1 if previous in ordered else 0, item)
    return ordered
