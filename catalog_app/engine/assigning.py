"""Values into columns: which field of a value goes to which field of a column, as SQL.

INSERT takes the fields of a struct by their place, as Spark does. Whatever goes by the names of columns goes by the
names of fields too, at every depth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from catalog_app.domain.assignment import is_assignable
from catalog_app.domain.schema import Column
from catalog_app.domain.types import Field, ParsedType, value_type, widens
from catalog_app.engine.types import (
    NOT_NESTED_MARK,
    leaf_value,
    quoted,
    required_value,
    storage_type,
    stored_value,
    text_literal,
)
from lakeui.common.errors import InvalidValue

_LISTED = 20
_NO_MAP = "No cast makes a map of a struct: write map(..) in SQL; of files Parquet and Arrow have maps."


class Matching(Enum):
    """How fields of structs are matched. Of rows that were kept, NULL without a type is a text. FILLED: a field that
    the value lacks is NULL.
    """

    BY_PLACE = auto()
    BY_NAME = auto()
    BY_NAME_OF_KEPT = auto()
    FILLED = auto()

    @property
    def takes_null_as_text(self) -> bool:
        return self in (Matching.BY_NAME_OF_KEPT, Matching.FILLED)


def assigned_value(column: Column, value: str, kind: str, matching: Matching, *, is_plain: bool = True) -> str:
    """SQL for ``value``, of the type ``kind``, as the column stores it. Raises InvalidValue where it never can.

    ``is_plain``: the value is a column, which may stand in an expression more than once.
    """
    wanted, given = value_type(column.type), value_type(kind)
    fit = _Fit(column, matching)
    if not wanted.fields:
        return required_value(column, fit.value(value, given, wanted, column.name))
    if is_plain or not given.fields:
        fitted = fit.value(value, given, wanted, column.name)
    else:
        once = fit.value("v", given, wanted, column.name)
        fitted = value if once == "v" else f"transform(array({value}), v -> {once})[0]"
    # What is never NULL in this value may be NULL beside it: Arrow has one type for all of them.
    return required_value(column, f"CAST({fitted} AS {storage_type(wanted.text)})")


def default_value(column: Column, text: str) -> str:
    """SQL for the default ``text`` as the column stores it: cast to its type, with lengths checked at every depth."""
    if not (value_type(column.type).fields and _has_lengths(value_type(column.type))):
        return stored_value(column, f"({text})")
    kind = storage_type(column.type)
    return assigned_value(column, f"CAST(({text}) AS {kind})", kind, Matching.BY_PLACE, is_plain=False)


@dataclass(slots=True)
class _Fit:
    """One value on its way into a column; ``path`` names the field that it goes to."""

    column: Column
    matching: Matching
    depth: int = 0

    def value(self, value: str, given: ParsedType, wanted: ParsedType, path: str) -> str:
        if not wanted.fields:
            return self._leaf(value, given, wanted, path)
        if given.name == "void":
            return f"CAST({value} AS {storage_type(wanted.text)})"
        if given.name == "string" and self.matching.takes_null_as_text:
            return self._null_of(value, wanted, path)
        if given.name != wanted.name:
            raise self._misfit(given, wanted, path)
        if given.text == wanted.text and not _has_lengths(wanted):
            return value
        if wanted.name == "struct":
            return self._struct(value, given, wanted, path)
        return self._items(value, given, wanted, path)

    def _leaf(self, value: str, given: ParsedType, wanted: ParsedType, path: str) -> str:
        self._require(given, wanted, path)
        return leaf_value(path, wanted.text, value)

    def _require(self, given: ParsedType, wanted: ParsedType, path: str) -> None:
        # Of rows that were kept it is known already that their values fit: a text may be NULL without a type.
        is_known = self.matching.takes_null_as_text and given.name == "string"
        if given.fields or not (is_known or is_assignable(given.text, wanted.text)):
            raise self._misfit(given, wanted, path)

    def _null_of(self, value: str, wanted: ParsedType, path: str) -> str:
        """A file whose every value is null says of none which type it is of."""
        refusal = f"raise_error('{NOT_NESTED_MARK}:{path.encode().hex()};')"
        nothing = f"CAST(NULL AS {storage_type(wanted.text)})"
        return f"CASE WHEN {value} IS NOT NULL THEN {refusal} ELSE {nothing} END"

    def _struct(self, value: str, given: ParsedType, wanted: ParsedType, path: str) -> str:
        pairs = self._pairs(given, wanted, path)
        fields = []
        for field, source in pairs:
            label = f"{path}.{field.name}"
            if source is None:
                fitted = f"CAST(NULL AS {storage_type(field.type.text)})"
            else:
                fitted = self.value(f"{value}.{quoted(source.name)}", source.type, field.type, label)
            fields.append(f"{text_literal(field.name)}, {fitted}")
        return f"IF({value} IS NULL, NULL, named_struct({', '.join(fields)}))"

    def _pairs(self, given: ParsedType, wanted: ParsedType, path: str) -> list[tuple[Field, Field | None]]:
        """Every field of the column with the value's field that goes into it."""
        self._refuse_twice(given, path)
        if self.matching is Matching.BY_PLACE:
            if len(given.fields) != len(wanted.fields):
                raise InvalidValue(
                    f"{_subject(path)} has {len(wanted.fields)} fields, the value has {len(given.fields)}.",
                    remedy=f"Give the fields {_listed(wanted.fields)}, in this order.",
                    column=path,
                )
            return list(zip(wanted.fields, given.fields, strict=True))
        by_name = {field.name.casefold(): field for field in given.fields}
        self._refuse_unknown(given, wanted, path)
        pairs = [(field, by_name.get(field.name.casefold())) for field in wanted.fields]
        missing = [field.name for field, source in pairs if source is None]
        if missing and self.matching is not Matching.FILLED:
            raise InvalidValue(
                f"The value for {path} lacks the field {missing[0]}.",
                remedy=f"Give every field of {path}; NULL is a value.",
                column=f"{path}.{missing[0]}",
            )
        return pairs

    def _refuse_twice(self, given: ParsedType, path: str) -> None:
        names = [field.name.casefold() for field in given.fields]
        twice = next((field.name for field in given.fields if names.count(field.name.casefold()) > 1), None)
        if twice is not None:
            raise InvalidValue(
                f"The value for {path} has the field {twice} twice.",
                remedy="Give each field once; case makes no difference.",
                column=f"{path}.{twice}",
            )

    def _refuse_unknown(self, given: ParsedType, wanted: ParsedType, path: str) -> None:
        folded = {field.name.casefold() for field in wanted.fields}
        unknown = next((field.name for field in given.fields if field.name.casefold() not in folded), None)
        if unknown is not None:
            raise InvalidValue(
                f"{_subject(path)} has no field {unknown}.",
                remedy=f"Its fields are {_listed(wanted.fields)}.",
                column=f"{path}.{unknown}",
            )

    def _items(self, value: str, given: ParsedType, wanted: ParsedType, path: str) -> str:
        """Elements of an array, or keys and values of a map, one by one where they have fields or lengths, or where
        the keys are of another type. Keys that were different may be one then, which a cast does not look at.
        """
        if not (
            _has_other_keys(given, wanted)
            or any(field.type.fields or _has_lengths(field.type) for field in wanted.fields)
        ):
            for field, source in zip(wanted.fields, given.fields, strict=True):
                self._require(source.type, field.type, f"{path}.{field.name}")
            return f"CAST({value} AS {wanted.text})"
        item = f"e{self.depth}"
        inner = _Fit(self.column, self.matching, self.depth + 1)
        if wanted.name == "array":
            (field,), (source,) = wanted.fields, given.fields
            fitted = inner.value(item, source.type, field.type, f"{path}.{field.name}")
            return f"transform({value}, {item} -> {fitted})"
        key, entry = (
            inner.value(f"{item}.{field.name}", source.type, field.type, f"{path}.{field.name}")
            for field, source in zip(wanted.fields, given.fields, strict=True)
        )
        return f"map_from_entries(transform(map_entries({value}), {item} -> struct({key}, {entry})))"

    def _misfit(self, given: ParsedType, wanted: ParsedType, path: str) -> InvalidValue:
        is_struct_for_map = (given.name, wanted.name) == ("struct", "map")
        return InvalidValue(
            f"{_subject(path)} is {wanted.text}; a value of type {given.text} does not go into it.",
            remedy=_NO_MAP if is_struct_for_map else "Cast the value.",
            column=path,
        )


def _subject(path: str) -> str:
    return f"Field {path}" if "." in path else f"Column {path}"


def _has_lengths(kind: ParsedType) -> bool:
    return kind.name in ("char", "varchar") or any(_has_lengths(field.type) for field in kind.fields)


def _has_other_keys(given: ParsedType, wanted: ParsedType) -> bool:
    """Whether keys of a map become values of a type that does not hold each of them."""
    if wanted.name != "map":
        return False
    key, other = given.fields[0].type, wanted.fields[0].type
    return key.name != "void" and not widens(key.text, other.text)


def _listed(fields: Sequence[Field]) -> str:
    names = [field.name for field in fields[:_LISTED]]
    return ", ".join(names) + (", .." if len(fields) > _LISTED else "")
