"""Spark SQL type texts and identifiers: quoting, storage types, store assignment.

Files hold ``varchar(n)`` and ``char(n)`` as strings; the length is enforced when a value is stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from catalog_app.domain.quoting import write_name
from catalog_app.domain.schema import Column
from catalog_app.domain.types import ParsedType, nested_type, parse_type, value_type
from catalog_app.engine.spark_calls import sql_dataframe

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.connect.session import SparkSession

NOT_NULL_MARK = "lakeui-not-null"
NOT_NESTED_MARK = "lakeui-not-nested"
TOO_LONG_MARK = "lakeui-too-long"
CHAR_TYPE = "__CHAR_VARCHAR_TYPE_STRING"
"""Where columns of Spark's own tables keep that they are CHAR: its analyser looks there, and types say STRING."""
_TEXT_OUTSIDE = re.compile(r"(?:(?<=[<:,])|^)(?:variant|void|interval(?: [a-z]+)*)(?=[,>]|$)")
_LENGTH = re.compile(r"^(varchar|char)\s*\(\s*(\d+)\s*\)$", re.IGNORECASE)
_DECIMAL = re.compile(r"^decimal\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)$", re.IGNORECASE)
_SIMPLE = {
    "boolean": "BooleanType",
    "tinyint": "ByteType",
    "smallint": "ShortType",
    "int": "IntegerType",
    "bigint": "LongType",
    "float": "FloatType",
    "double": "DoubleType",
    "string": "StringType",
    "binary": "BinaryType",
    "date": "DateType",
    "timestamp": "TimestampType",
    "timestamp_ntz": "TimestampNTZType",
}
_parsed: dict[str, Any] = {}


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return "`" + name.replace("`", "``") + "`"


def text_literal(value: str) -> str:
    """A text as an SQL string literal."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def storage_type(type_text: str) -> str:
    """The type that files hold for a declared type."""
    return "string" if _LENGTH.match(type_text) else type_text


def unknown_null(kind: str) -> str:
    """SQL of a NULL over ``range(0)`` that no rule of the optimizer sees: with one that it knows, a comparison is NULL
    before its other side is computed.
    """
    return f"get(array(CAST(NULL AS {kind})), CAST(id AS INT))"


def length_limit(type_text: str) -> int | None:
    """How many characters a value of VARCHAR(n) or CHAR(n) has at most; None for other types."""
    match = _LENGTH.match(type_text)
    return int(match[2]) if match else None


def too_long_mark(name: str, length: int) -> str:
    """What an error of Spark holds where a value is too long for the column or field of that name."""
    return f"{TOO_LONG_MARK}:{length}:{name.encode().hex()};"


def storable_type(kind: str) -> str:
    """The type under which a value waits: Parquet has no column of nothing but NULL."""
    return _without_void(value_type(kind)).text if "void" in kind else kind


def _without_void(kind: ParsedType) -> ParsedType:
    if kind.fields:
        return nested_type(kind.name, (replace(field, type=_without_void(field.type)) for field in kind.fields))
    return parse_type("string") if kind.name == "void" else kind


def shown_type(kind: str) -> str:
    """The type under which answers, files and Arrow hold the value. At every depth an interval and a VARIANT are texts,
    and so is what is nothing but NULL.
    """
    return _TEXT_OUTSIDE.sub("string", kind)


def char_metadata(type_text: str) -> dict[str, Any] | None:
    """What a column of type ``char(n)`` says of itself, so that Spark pads what it is compared with; else None."""
    return {CHAR_TYPE: type_text} if type_text.startswith("char(") else None


def declared_metadata(type_text: str) -> dict[str, Any] | None:
    """What a column says of itself where its type holds CHAR(n) or VARCHAR(n), at any depth; else None."""
    return {CHAR_TYPE: type_text} if "char(" in type_text else None


def char_type(metadata: Mapping[str, Any]) -> str | None:
    """The type ``char(n)`` that a column of a DataFrame says it has."""
    kind = str(metadata.get(CHAR_TYPE, ""))
    return kind if kind.startswith("char(") else None


def is_arrow_writable(type_text: str) -> bool:
    """Whether rows of this type come through Arrow into Parquet unchanged."""
    return not re.search(r"\b(interval|variant|time|void)\b", type_text)


def spark_type(spark: SparkSession, type_text: str) -> Any:
    """The PySpark data type of a type text. The server parses rare ones, once per process."""
    simple = _simple_type(type_text)
    if simple is not None:
        return simple
    if type_text not in _parsed:
        kind = value_type(type_text)
        _parsed[type_text] = _nested_type(spark, kind) if kind.fields else _asked_type(spark, type_text)
    return _parsed[type_text]


def _asked_type(spark: SparkSession, type_text: str) -> Any:
    return sql_dataframe(spark, f"SELECT CAST(NULL AS {type_text}) AS c").schema[0].dataType


def _nested_type(spark: SparkSession, kind: ParsedType) -> Any:
    from pyspark.sql.types import ArrayType, MapType, StructField, StructType

    inside = [spark_type(spark, field.type.text) for field in kind.fields]
    match kind.name:
        case "array":
            return ArrayType(inside[0])
        case "map":
            return MapType(*inside)
        case _:
            return StructType([StructField(field.name, item) for field, item in zip(kind.fields, inside, strict=True)])


def type_text(data_type: Any) -> str:
    """The text of a PySpark data type. Its own has names of fields as they are, which cannot be read again."""
    from pyspark.sql.types import ArrayType, MapType, StructType

    match data_type:
        case ArrayType():
            return f"array<{type_text(data_type.elementType)}>"
        case MapType():
            return f"map<{type_text(data_type.keyType)},{type_text(data_type.valueType)}>"
        case StructType():
            fields = (f"{write_name(field.name)}:{type_text(field.dataType)}" for field in data_type.fields)
            return f"struct<{','.join(fields)}>"
        case _:
            return str(data_type.simpleString())


def arrow_type(type_text: str) -> pa.DataType | None:
    """The type under which Spark hands values of this type over; None for nested and rare ones."""
    from pyspark.sql.pandas.types import to_arrow_type

    simple = _simple_type(type_text)
    return None if simple is None else to_arrow_type(simple, timezone="UTC")


def _simple_type(type_text: str) -> Any:
    from pyspark.sql import types

    stored = storage_type(type_text).strip().lower()
    if stored in _SIMPLE:
        return getattr(types, _SIMPLE[stored])()
    match = _DECIMAL.match(stored)
    return types.DecimalType(int(match[1]), int(match[2])) if match else None


def is_default(expression: str) -> bool:
    """Whether a value is asked for by the word DEFAULT."""
    return expression.strip().casefold() == "default"


def stored_value(column: Column, expression: str) -> str:
    """SQL for ``expression`` as the column stores it: cast with overflow as an error, length and NOT NULL enforced."""
    return required_value(column, leaf_value(column.name, column.type, expression))


def required_value(column: Column, value: str) -> str:
    """SQL that refuses NULL where the column takes none."""
    if column.nullable:
        return value
    return f"coalesce({value}, raise_error('{NOT_NULL_MARK}:{column.name.encode().hex()};'))"


def leaf_value(name: str, kind: str, expression: str) -> str:
    """SQL for ``expression`` as a value of this type, in the column or field called ``name``."""
    value = f"CAST({expression} AS {storage_type(kind)})"
    match = _LENGTH.match(kind)
    if not match:
        return value
    length = int(match[2])
    refusal = f"raise_error('{too_long_mark(name, length)}')"
    # As in Spark, trailing spaces beyond the length are cut, anything else is an error.
    fitted = f"CASE WHEN char_length(rtrim({value})) <= {length} THEN left({value}, {length}) ELSE {refusal} END"
    checked = f"CASE WHEN char_length({value}) > {length} THEN {fitted} ELSE {value} END"
    return f"rpad({checked}, {length})" if match[1].lower() == "char" else checked


def as_condition(text: str) -> str:
    """SQL of a condition that a statement gives: NULL, which has no type, is one that is not true."""
    # A line break ends what may be a comment at the end of an expression.
    return f"CAST(({text}\n) AS BOOLEAN)"
