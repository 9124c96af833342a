"""Schemas of files and batches brought together: what widens, what may be stored where, and tables made to fit."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.storage.equal_values import is_list
from lakeui.common.errors import InvalidValue, NotNullViolation, NotSupported, TypeNarrowing
from lakeui.common.nearest import nearest_name


def widened(first: pa.DataType, second: pa.DataType) -> pa.DataType | None:
    """The type that holds every value of both exactly, where one of the two widens to the other; None where not."""
    if first.equals(second) or pa.types.is_null(second):
        return first
    if pa.types.is_null(first):
        return second
    for narrow, wide in ((first, second), (second, first)):
        if _widens(narrow, wide):
            return wide
    return None


def _widens(narrow: pa.DataType, wide: pa.DataType) -> bool:
    kinds = pa.types
    if kinds.is_integer(narrow) and kinds.is_integer(wide):
        gains_sign = kinds.is_unsigned_integer(narrow) and kinds.is_signed_integer(wide)
        same_sign = kinds.is_signed_integer(narrow) == kinds.is_signed_integer(wide)
        return (same_sign or gains_sign) and bool(narrow.bit_width < wide.bit_width)
    if kinds.is_floating(narrow) and kinds.is_floating(wide):
        return bool(narrow.bit_width < wide.bit_width)
    if kinds.is_decimal(narrow) and kinds.is_decimal(wide):
        return bool(narrow.scale == wide.scale and narrow.precision <= wide.precision)
    if kinds.is_date(narrow):
        return bool(kinds.is_timestamp(wide) and wide.tz is None)
    return (_is_text(narrow) and kinds.is_large_string(wide)) or (_is_bytes(narrow) and kinds.is_large_binary(wide))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_bytes(kind: pa.DataType) -> bool:
    is_long = pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind)
    return bool(pa.types.is_binary(kind) or is_long or pa.types.is_fixed_size_binary(kind))


def _family(kind: pa.DataType) -> str:
    """Values of types of one family can be stored in one another where they fit."""
    kinds = pa.types
    families = (
        ("number", kinds.is_integer(kind)),
        ("floating", kinds.is_floating(kind)),
        ("decimal", kinds.is_decimal(kind)),
        ("text", _is_text(kind)),
        ("bytes", _is_bytes(kind)),
        ("instant", kinds.is_timestamp(kind) and kind.tz is not None),
        ("moment", kinds.is_date(kind) or kinds.is_timestamp(kind)),
        ("time", kinds.is_time(kind)),
    )
    return next((name for name, holds in families if holds), str(kind))


_ALSO_STORABLE = frozenset({("number", "floating"), ("number", "decimal")})
_CAST_WITHOUT_A_WORD = frozenset({"floating", "moment"})
"""Families in which Arrow rounds a value that does not fit; in all others it refuses."""


def _is_storable(given: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether values of one type may be stored as another as long as each keeps its value."""
    kinds = pa.types
    if given.equals(wanted) or kinds.is_null(given):
        return True
    if kinds.is_dictionary(given) or kinds.is_dictionary(wanted):
        return _is_storable(decoded(given), decoded(wanted))
    if kinds.is_map(given) or kinds.is_map(wanted):
        both = kinds.is_map(given) and kinds.is_map(wanted)
        pairs = ((given.key_type, wanted.key_type), (given.item_type, wanted.item_type)) if both else ()
        return both and all(_is_part_storable(*pair) for pair in pairs)
    if is_list(given) or is_list(wanted):
        return is_list(given) and is_list(wanted) and _is_part_storable(given.value_type, wanted.value_type)
    if kinds.is_struct(given) or kinds.is_struct(wanted):
        return kinds.is_struct(given) and kinds.is_struct(wanted) and _are_fields_storable(given, wanted)
    families = (_family(given), _family(wanted))
    return families[0] == families[1] or families in _ALSO_STORABLE


def _is_part_storable(given: pa.DataType, wanted: pa.DataType) -> bool:
    """As ``_is_storable`` inside a nested value, where a rounded one would go unseen."""
    if _family(given) in _CAST_WITHOUT_A_WORD and not given.equals(wanted):
        return _widens(given, wanted)
    return _is_storable(given, wanted)


def decoded(kind: pa.DataType) -> pa.DataType:
    """The type of the values, where a column holds them in a dictionary."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def without_views(schema: pa.Schema) -> pa.Schema:
    """The schema with plain text and bytes in place of Arrow's views, of which few functions can be computed. Raises
    NotSupported for views of lists, which Arrow cannot cast.
    """
    fields = [field.with_type(_without_views(field.type)) for field in schema]
    return pa.schema(fields, metadata=schema.metadata)


def _without_views(kind: pa.DataType) -> pa.DataType:
    kinds = pa.types

    def plain(field: pa.Field) -> pa.Field:
        return field.with_type(_without_views(field.type))

    if kinds.is_string_view(kind):
        return pa.large_string()
    if kinds.is_binary_view(kind):
        return pa.large_binary()
    if kinds.is_list_view(kind) or kinds.is_large_list_view(kind):
        raise NotSupported(f"Values of type {kind} cannot be merged.", remedy=f"Cast them to list<{kind.value_type}>.")
    if kinds.is_list(kind):
        return pa.list_(plain(kind.value_field))
    if kinds.is_large_list(kind):
        return pa.large_list(plain(kind.value_field))
    if kinds.is_struct(kind):
        return pa.struct([plain(field) for field in kind])
    if kinds.is_map(kind):
        return pa.map_(plain(kind.key_field), plain(kind.item_field), keys_sorted=kind.keys_sorted)
    return kind


def _are_fields_storable(given: pa.StructType, wanted: pa.StructType) -> bool:
    """Fields go by name. Those that the value lacks are NULL; those that the column lacks: ``_require_fields``."""
    known = {field.name: field.type for field in wanted}
    return all(_is_part_storable(field.type, known[field.name]) for field in given if field.name in known)


def unified(schemas: Iterable[tuple[str, pa.Schema]]) -> pa.Schema:
    """The schema of a data set from its files' (path, schema): every column, each of the widest type.

    Raises InvalidValue where files disagree. A column that a file lacks is NULL there.
    """
    known: pa.Schema | None = None
    for path, schema in schemas:
        if known is None:
            known = schema
        elif not known.equals(schema):
            known = _both(known, schema, path)
    assert known is not None
    return known


def _both(known: pa.Schema, other: pa.Schema, path: str) -> pa.Schema:
    fields = []
    for field in known:
        if field.name not in other.names:
            fields.append(field.with_nullable(True))
            continue
        met = other.field(field.name)
        kind = _evolved_type(field.type, met.type)
        if not _is_storable(field.type, kind) or not _is_storable(met.type, kind):
            raise InvalidValue(
                f"Column {field.name} is {met.type} in {path} and {field.type} in files before it.",
                remedy="Write the files of the data set with one schema.",
            )
        fields.append(field.with_type(kind).with_nullable(field.nullable or met.nullable))
    added = [field.with_nullable(True) for field in other if field.name not in known.names]
    return pa.schema([*fields, *added], metadata=known.metadata)


def evolved(target: pa.Schema, batch: pa.Schema) -> pa.Schema:
    """The target's schema with the batch's new columns and fields, and with the wider of the types (rows §1.4)."""
    fields = []
    for field in target:
        given = batch.field(field.name).type if field.name in batch.names else field.type
        fields.append(field.with_type(_evolved_type(field.type, given)))
    added = [field.with_nullable(True).remove_metadata() for field in batch if field.name not in target.names]
    return pa.schema([*fields, *added], metadata=target.metadata)


def _evolved_type(known: pa.DataType, given: pa.DataType) -> pa.DataType:
    """The wider of two types, at every depth, with the fields of both; ``known`` where neither is wider."""
    kinds = pa.types
    if kinds.is_struct(known) and kinds.is_struct(given):
        by_name = {field.name: field for field in given}
        fields = [_evolved_field(field, by_name.pop(field.name, field)) for field in known]
        return pa.struct([*fields, *(field.with_nullable(True).remove_metadata() for field in by_name.values())])
    if kinds.is_list(known) and is_list(given):
        return pa.list_(_evolved_field(known.value_field, given.value_field))
    if kinds.is_large_list(known) and is_list(given):
        return pa.large_list(_evolved_field(known.value_field, given.value_field))
    if kinds.is_map(known) and kinds.is_map(given):
        key = known.key_field.with_type(_evolved_type(known.key_type, given.key_type))
        return pa.map_(key, _evolved_field(known.item_field, given.item_field), keys_sorted=known.keys_sorted)
    return widened(known, given) or known


def _evolved_field(known: pa.Field, given: pa.Field) -> pa.Field:
    return known.with_type(_evolved_type(known.type, given.type))


def require_columns(target: pa.Schema, batch: pa.Schema) -> None:
    """Without schema evolution a batch must have every column of the target; more of them: ``refuse_extra_columns``."""
    missing = [name for name in target.names if name not in batch.names]
    if missing:
        raise InvalidValue(
            f"The batch has no column {', '.join(missing)}, which the data set has.",
            remedy="Add it to the batch, or merge with schema_evolution=True, which leaves it as it is.",
            missing=missing,
        )


def require_fields(target: pa.Schema, batch: pa.Schema) -> None:
    """Refuse a field of a struct that the column of the target lacks, at any depth."""
    for field in target:
        if field.name in batch.names:
            _require_known(batch.field(field.name).type, field.type, field.name)


def _require_known(given: pa.DataType, wanted: pa.DataType, path: str) -> None:
    names = [field.name for field in wanted] if pa.types.is_struct(wanted) else []
    for part, known in _parts(given, wanted):
        if known is None:
            nearest = nearest_name(part.name, names)
            raise InvalidValue(
                f"The batch has the field {path}.{part.name}, which the data set lacks.",
                remedy=f"Its fields are {', '.join(names)}. Leave it out, or merge with schema_evolution=True.",
                field=f"{path}.{part.name}",
                nearest=nearest and f"{path}.{nearest}",
            )
        _require_known(part.type, known.type, f"{path}.{known.name}")


def _parts(given: pa.DataType, wanted: pa.DataType) -> list[tuple[pa.Field, pa.Field | None]]:
    """The fields of a struct, list or map, each with the one that it is stored as; None where there is none."""
    kinds = pa.types
    if kinds.is_struct(given) and kinds.is_struct(wanted):
        known = {field.name: field for field in wanted}
        return [(field, known.get(field.name)) for field in given]
    if is_list(given) and is_list(wanted):
        return [(given.value_field, wanted.value_field)]
    if kinds.is_map(given) and kinds.is_map(wanted):
        return [(given.key_field, wanted.key_field), (given.item_field, wanted.item_field)]
    return []


def conformed(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The columns of the schema that the table has, in the schema's order and types, each value kept exactly.

    Raises TypeNarrowing where a type or a value does not fit, NotNullViolation where a required column has a NULL.
    """
    fields = [field for field in schema if field.name in table.column_names]
    columns = [_stored(table.column(field.name), field) for field in fields]
    return pa.table(columns, schema=pa.schema(fields, metadata=schema.metadata))


def completed(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """As ``conformed``, with NULL for each column that the table lacks."""
    given = conformed(table, schema)
    columns = []
    for field in schema:
        if field.name not in given.column_names and not field.nullable and table.num_rows:
            raise _no_value(field)
        found = field.name in given.column_names
        columns.append(given.column(field.name) if found else pa.nulls(table.num_rows, field.type))
    return pa.table(columns, schema=schema)


def _stored(column: pa.ChunkedArray, field: pa.Field) -> pa.ChunkedArray:
    if not field.nullable and column.null_count:
        raise _no_value(field)
    if column.type.equals(field.type):
        return column
    if not _is_storable(column.type, field.type):
        raise TypeNarrowing(
            f"Column {field.name} is {field.type} in the data set and cannot hold values of type {column.type}.",
            remedy="Cast it in the batch, or merge with schema_evolution=True where its type is the wider one.",
            column=field.name,
        )
    try:
        stored = _decode(column).cast(field.type)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as problem:
        raise _does_not_fit(field, column.type, str(problem)) from problem
    if _family(column.type) in _CAST_WITHOUT_A_WORD:
        _require_kept(column, stored, field)
    return stored


def _decode(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _require_kept(given: pa.ChunkedArray, stored: pa.ChunkedArray, field: pa.Field) -> None:
    is_kept = pc.equal(stored.cast(given.type), given)
    if pa.types.is_floating(given.type):
        is_kept = pc.or_(is_kept, pc.is_nan(given))
    if not pc.all(is_kept).as_py():
        raise _does_not_fit(field, given.type, "it would be rounded")


def _does_not_fit(field: pa.Field, given: pa.DataType, why: str) -> TypeNarrowing:
    return TypeNarrowing(
        f"A value of column {field.name} ({given}) does not fit the data set's {field.type}: {why}.",
        remedy="Correct the batch, or merge with schema_evolution=True, which widens the column.",
        column=field.name,
    )


def _no_value(field: pa.Field) -> NotNullViolation:
    return NotNullViolation(
        f"Column {field.name} is NOT NULL and a row of the batch has no value for it.", column=field.name
    )
