"""Types that people of Spark and of other systems write and that no column has, each with what to write instead."""

from __future__ import annotations

from lakeui.common.nearest import nearest_name

_TIME = "Keep a time of day as a STRING such as '10:00:00', or as a BIGINT of seconds. A time on a date is a TIMESTAMP."
_TEXT = "Write STRING."
_WHOLE = "Write BIGINT; GENERATED ALWAYS AS IDENTITY gives numbers."
_JSON = "Keep it as a STRING; a query reads it by parse_json(c):path, or from_json(c, type)."
_INTERVAL = "Keep it as a BIGINT of seconds, days or months; a query makes an interval of it by make_interval(..)."
_BY_NAME = {
    **dict.fromkeys(("time", "timetz"), _TIME),
    **dict.fromkeys(("datetime", "timestamptz"), "Write TIMESTAMP, or TIMESTAMP_NTZ without a time zone."),
    **dict.fromkeys(("text", "nvarchar", "nchar", "varchar2", "clob", "uuid", "enum", "bpchar"), _TEXT),
    **dict.fromkeys(("blob", "bytea", "bytes", "varbinary"), "Write BINARY."),
    **dict.fromkeys(("json", "jsonb", "variant", "object", "super"), _JSON),
    **dict.fromkeys(("serial", "bigserial", "int64", "int8", "hugeint"), _WHOLE),
    **dict.fromkeys(("int4", "int32", "mediumint"), "Write INT."),
    **dict.fromkeys(("int2", "int16"), "Write SMALLINT."),
    **dict.fromkeys(("float8", "float64"), "Write DOUBLE."),
    **dict.fromkeys(("float4", "float32"), "Write FLOAT."),
    **dict.fromkeys(("number", "money", "bignumeric"), "Write DECIMAL(precision, scale)."),
    "bool": "Write BOOLEAN.",
    "interval": _INTERVAL,
    **dict.fromkeys(("geometry", "geography"), "Keep it as a STRING (WKT) or a BINARY (WKB)."),
    **dict.fromkeys(("void", "null"), "Give the column the type that its values will have."),
    **dict.fromkeys(("row", "record", "tuple"), "Write STRUCT<name: type, ..>."),
    "list": "Write ARRAY<type>.",
}
_ANY = "Use a primitive type of Spark SQL, ARRAY<…>, MAP<…, …> or STRUCT<name: type, …>."


def way_out(word: str, known: tuple[str, ...] = ()) -> str:
    """What to write instead of this type. ``known``: the names of types that there are."""
    remedy = _BY_NAME.get(word.casefold())
    if remedy is not None:
        return remedy
    near = nearest_name(word.casefold(), list(known))
    return _ANY if near is None else f"Did you mean {near.upper()}? {_ANY}"
