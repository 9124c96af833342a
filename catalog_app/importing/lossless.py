"""Whether values stay what they are in the type that they are loaded as, whoever chose it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Context, Decimal, InvalidOperation, localcontext

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from catalog_app.domain.assignment import NUMBERS, is_assignable
from catalog_app.domain.types import Field, ParsedType, parse_type, value_type
from catalog_app.importing.arrow_types import type_text
from lakeui.common.errors import InvalidValue
from lakeui.common.map_keys import single_keys_require

_NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"
_PLAIN = r"^-?[0-9]+(\.[0-9]+)?$"
_TIME_OF_DAY = r"^\s*[+-]?[0-9]+(-[0-9]+){2}[T ][0-9:.]*[1-9]"
_UNWRITABLE = ("NaN", "Infinity", "-Infinity")
_WHOLE_TYPES = ("tinyint", "smallint", "int", "bigint")


def values_require(values: pa.Array, column: str, wanted: str, *, first_row: int, keeps_kind: bool = False) -> None:
    """Raise InvalidValue for the first value that the type would change, and for a key that a map has twice, at any
    depth.

    A number must keep its digits, and a time of day has no place in a date. Inside of structs, arrays and maps a value
    must also be of a kind that the field stores without a cast; with ``keeps_kind`` everywhere. A text is no number,
    and a boolean none either. Texts that are no number, and too large numbers, are left to the cast.
    """
    single_keys_require(values, column, first_row=first_row)
    whole = _Part(values, np.arange(first_row, first_row + len(values)), column, value_type(wanted))
    for part in _leaves(whole):
        if keeps_kind or part is not whole:
            _kind_require(part)
        _digits_require(part)
        _times_require(part)


@dataclass(frozen=True, slots=True)
class _Part:
    """Values of a column, or of a field inside of one, by the row that each belongs to."""

    values: pa.Array
    rows: npt.NDArray[np.int64]
    path: str
    type: ParsedType


def _leaves(part: _Part) -> Iterator[_Part]:
    """The part itself, or the fields inside of it that hold plain values and are known to the type."""
    kind, wanted = part.values.type, part.type
    if pa.types.is_struct(kind) and wanted.name == "struct":
        by_name = {field.name.casefold(): field for field in wanted.fields}
        for index, item in enumerate(kind):
            field = by_name.get(item.name.casefold())
            if field is not None:
                values = pc.struct_field(part.values, [index])
                yield from _leaves(_Part(values, part.rows, f"{part.path}.{field.name}", field.type))
    elif pa.types.is_list(kind) and wanted.name == "array":
        yield from _items(part, part.values, wanted.fields[0])
    elif pa.types.is_map(kind) and wanted.name == "map":
        entries = pa.struct([("key", kind.key_type), ("value", kind.item_type)])
        pairs = replace(wanted, name="struct")
        yield from _items(part, part.values.cast(pa.list_(entries)), Field("", pairs))
    elif not pa.types.is_nested(kind) and not wanted.fields:
        yield part


def _items(part: _Part, lists: pa.Array, field: Field) -> Iterator[_Part]:
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
    path = f"{part.path}.{field.name}" if field.name else part.path
    yield from _leaves(_Part(pc.list_flatten(lists), np.repeat(part.rows, lengths), path, field.type))


def is_kind_kept(given: str, wanted: str) -> bool:
    """Whether a plain value of one type is stored in the other without becoming something else."""
    if given == "string":
        return value_type(wanted).name not in (*NUMBERS, "boolean")
    return is_assignable(given, wanted)


def _kind_require(part: _Part) -> None:
    kind = type_text(part.values.type)
    is_stored = is_kind_kept(kind, part.type.text)
    present = np.flatnonzero(_is_of_a_kind(part).to_numpy(False))
    if is_stored or not len(present):
        return
    place = int(present[0])
    row = int(part.rows[place])
    raise InvalidValue(
        f"Row {row:,}: {pc.cast(part.values, pa.string())[place]} of {part.path} is {kind},"
        f" which does not go into {part.type.text}.",
        remedy=f"Write it in the file as {part.type.text}; of an existing table change the type first."
        + ("" if "." in part.path else f" An import takes it where {part.type.text} is chosen for the column."),
        row=row,
        column=part.path,
    )


def _is_of_a_kind(part: _Part) -> pa.Array:
    """Which values are there, without texts of JSON for numbers that it cannot write."""
    present = part.values.is_valid()
    if pa.types.is_string(part.values.type) and part.type.name in ("double", "float"):
        return pc.and_(present, pc.invert(pc.is_in(part.values, value_set=pa.array(_UNWRITABLE))))
    return present


def _digits_require(part: _Part) -> None:
    values = part.values
    keeps = _keeper(values.type, part.type)
    if keeps is None or not len(values):
        return
    texts = pc.cast(values, pa.string())
    numbers = pc.fill_null(pc.match_substring_regex(texts, _NUMBER), False)
    for place in np.flatnonzero(pc.and_(numbers, pc.invert(_plainly_kept(texts, part.type.text))).to_numpy(False)):
        text = texts[int(place)].as_py().strip()
        if not keeps(text):
            row = int(part.rows[place])
            raise InvalidValue(
                f"Row {row:,}: {text} of column {part.path} would lose digits as {part.type.text}.",
                remedy="Choose a decimal wide enough, or string; of an existing table change the column's type first.",
                row=row,
                column=part.path,
            )


def _times_require(part: _Part) -> None:
    """What is behind the day goes nowhere in a date, and what is below a microsecond in no type."""
    values, kind = part.values, part.values.type
    if part.type.name == "date" and pa.types.is_timestamp(kind):
        lost = pc.not_equal(pc.floor_temporal(values, unit="day"), values)
    elif part.type.name == "date" and pa.types.is_string(kind):
        lost = pc.match_substring_regex(values, _TIME_OF_DAY)
    elif pa.types.is_timestamp(kind) and kind.unit == "ns":
        lost = pc.not_equal(pc.floor_temporal(values, unit="microsecond"), values)
    else:
        return
    found = np.flatnonzero(pc.fill_null(lost, False).to_numpy(False))
    if len(found):
        place = int(found[0])
        raise InvalidValue(
            f"Row {int(part.rows[place]):,}: {pc.cast(values, pa.string())[place]} of column {part.path} would lose its"
            f" time as {part.type.text}.",
            remedy="Choose a type that holds it, such as string, or write it without that part into the file.",
            row=int(part.rows[place]),
            column=part.path,
        )


def _keeper(kind: pa.DataType, parsed: ParsedType) -> Callable[[str], bool] | None:
    """How one number is judged; None where the types alone say that all are kept, or the cast refuses what is not."""
    is_text, is_whole = pa.types.is_string(kind), pa.types.is_integer(kind)
    is_real, is_decimal = pa.types.is_floating(kind), pa.types.is_decimal(kind)
    if not (is_text or is_whole or is_real or is_decimal):
        return None
    match parsed.name:
        case "double":
            return None if is_real else _in_double
        case "float":
            return None if kind == pa.float32() else _in_float
        case "decimal":
            scale = parsed.parameters[1]
            is_kept = is_whole or (is_decimal and kind.scale <= scale)
            return None if is_kept else lambda text: _in_scale(text, scale)
        case name if name in _WHOLE_TYPES:
            return None if is_text or is_whole else lambda text: _in_scale(text, 0)
        case _:
            return None


def _plainly_kept(texts: pa.Array, wanted: str) -> pa.Array:
    """Which of the texts are numbers that surely are kept, for a whole batch at once."""
    short = pc.replace_substring_regex(texts, r"^(-?[0-9]+)\.0*$", r"\1")
    short = pc.replace_substring_regex(short, r"^(-?[0-9]+\.[0-9]*[1-9])0+$", r"\1")
    if wanted in ("double", "float"):
        target = pa.float64() if wanted == "double" else pa.float32()
        asked = pc.if_else(pc.match_substring_regex(short, _PLAIN), short, pa.scalar(None, pa.string()))
        back = pc.cast(pc.cast(asked, target), pa.string())
        return pc.fill_null(pc.equal(back, short), False)
    parsed = parse_type(wanted)
    scale = parsed.parameters[1] if parsed.parameters else 0
    pattern = rf"^-?[0-9]+(\.[0-9]{{1,{scale}}})?$" if scale else r"^-?[0-9]+$"
    return pc.fill_null(pc.match_substring_regex(short, pattern), False)


def _in_double(text: str) -> bool:
    return _is_same(text, repr(float(text)))


def _in_float(text: str) -> bool:
    with np.errstate(over="ignore"):
        return _is_same(text, str(np.float32(text)))


def _is_same(text: str, back: str) -> bool:
    return math.isfinite(float(back)) and Decimal(back) == Decimal(text)


def _in_scale(text: str, scale: int) -> bool:
    number = Decimal(text)
    try:
        with localcontext(Context(prec=80)):
            return number == round(number, scale)
    # More digits than Decimal rounds are more than any type has; the cast says so.
    except InvalidOperation:
        return True
