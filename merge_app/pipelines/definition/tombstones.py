"""How keys and watermarks of deletes are written down: the same text after a column was widened or renamed."""

from __future__ import annotations

from collections.abc import Sequence

from catalog_app.domain.types import value_type
from catalog_app.domain.whole_values import comparable, json_text

KEY, WATERMARK = "pipeline key", "pipeline watermark"


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def has_order(kind: str) -> bool:
    """Whether values of the type can say which of two rows is later."""
    return bool(kind) and not value_type(kind).fields


def key_digest(columns: Sequence[tuple[str, str]]) -> str:
    """SQL of 128 bits that tell keys apart; NULL is a value. ``columns`` are (name, type)."""
    parts = (_part(quoted(name), kind) for name, kind in columns)
    return f"substring(sha2(concat({', '.join(parts)}, ''), 256), 1, 32)"


def _part(value: str, kind: str) -> str:
    """SQL of a value as a text that says its length, so that no two keys come to one."""
    is_nested = bool(value_type(kind).fields)
    text = json_text(comparable(value, kind)) if is_nested else f"CAST({_widest(value, kind)} AS STRING)"
    return f"coalesce(concat(CAST(length({text}) AS STRING), ':', {text}), 'NULL')"


def ordered_value(name: str, kind: str) -> str:
    """SQL of a watermark in the type by which it is compared."""
    return _widest(quoted(name), kind)


def kept_watermark(kind: str) -> str:
    """SQL of a watermark that was kept as a text, in the type by which it is compared."""
    return f"CAST({quoted(WATERMARK)} AS {watermark_type(kind)})"


def watermark_type(kind: str) -> str:
    """The type in which watermarks of the type are compared: the widest that a column of it can come to."""
    parsed = value_type(kind)
    match parsed.text.partition("(")[0]:
        case "tinyint" | "smallint" | "int" | "bigint":
            return "BIGINT"
        case "float" | "double":
            return "DOUBLE"
        case "date" | "timestamp_ntz":
            return "TIMESTAMP_NTZ"
        case "decimal":
            return f"DECIMAL(38,{parsed.parameters[1]})"
        case "timestamp":
            return "TIMESTAMP"
        case "boolean":
            return "BOOLEAN"
        case _:
            return "STRING"


def _widest(value: str, kind: str) -> str:
    if value_type(kind).text == "binary":
        return f"hex({value})"
    wide = f"CAST({value} AS {watermark_type(kind)})"
    # 0.0 and -0.0 are the same key.
    return f"({wide} + CAST(0 AS DOUBLE))" if watermark_type(kind) == "DOUBLE" else wide
