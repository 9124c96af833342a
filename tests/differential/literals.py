"""Values that are awkward, as SQL: of every type, NULL at every depth, and literals of one type beside another."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tests.differential.kinds import Array, Kind, Map, Scalar, Struct, text

WHOLE_BITS = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}
NUMBERS = (*WHOLE_BITS, "float", "double", "decimal")

TEXTS = (
    *(
        "''",
        "' '",
        "'x'",
        "'x '",
        "'X'",
        "'y'",
        "'NaN'",
        "'null'",
        r"'it\'s'",
        r"'a\\b'",
        r"'a\nb'",
        "'%'",
        "'_'",
        "'a,b'",
    ),
    *("'é'", r"'e\u0301'", "'\U0001f600'", "'\U0001f600\U0010ffff'", "'\uffff'", "'\u00df'", "repeat('long ', 400)"),
    "concat(repeat('z', 70), '\U0001f600')",
)
NUMBER_TEXTS = ("'9'", "'10'", "'9.5'", "'9.50'", "'-0'", "'1e1'", "'20'")
DATE_TEXTS = ("'2024-01-10'", "'2024-1-5'", "'2024-12-31'", "'2024-01-05'", "'1582-10-10'")
FLAVOURS = {"any": TEXTS, "numbers": NUMBER_TEXTS, "dates": DATE_TEXTS}

DATES = ("0001-01-01", "1582-10-04", "1582-10-15", "1969-12-31", "1970-01-01", "2024-01-05", "2024-02-29", "9999-12-31")
CLOCKS = ("00:00:00", "00:00:00.000001", "00:00:00.000002", "12:34:56.123456", "23:59:59.999999")
FRACTIONS = ("0.0", "-0.0", "1.5", "9.5", "0.1", "9007199254740992.0", "1e308", "4.9e-324", "3.4028235e38")
BYTES = ("X''", "X'00'", "X'78'", "X'FF'", "X'FF00'", "X'C3A9'")
SUFFIXES = {"tinyint": "Y", "smallint": "S", "int": "", "bigint": "L"}


def value(random: Random, kind: Kind, *, flavour: str = "any", nulls: float = 0.15) -> str:
    """A value of exactly this type, NULL now and then at every depth."""
    typed_null = f"CAST(NULL AS {text(kind, stored=True)})"
    if random.random() < nulls:
        return typed_null
    match kind:
        case Array(item):
            items = [value(random, item) for _ in range(random.choice((0, 1, 1, 2, 3)))]
            return f"array({', '.join(items)})" if items else f"CAST(array() AS {text(kind, stored=True)})"
        case Map(key, item):
            keys = dict.fromkeys(value(random, key, nulls=0) for _ in range(random.choice((0, 1, 1, 2))))
            parts = ", ".join(f"{name}, {value(random, item)}" for name in keys)
            return f"map({parts})" if parts else f"CAST(map() AS {text(kind, stored=True)})"
        case Struct(fields):
            return named_struct([(name, value(random, inner)) for name, inner in fields])
        case Scalar(name):
            return scalar(random, name, flavour=flavour)


def named_struct(fields: Sequence[tuple[str, str]]) -> str:
    return "named_struct(" + ", ".join(f"'{name}', {written}" for name, written in fields) + ")"


def scalar(random: Random, name: str, *, flavour: str = "any") -> str:
    if name == "boolean":
        return random.choice(("true", "false"))
    if name in WHOLE_BITS:
        return f"CAST({_whole(random, name)} AS {name})"
    if name in ("float", "double"):
        number = random.choice(("'NaN'", "'Infinity'", "'-Infinity'", *(f"'{n}'" for n in FRACTIONS)))
        return f"CAST({number} AS {name})"
    if name.startswith("decimal"):
        return f"CAST('{_decimal(random, name)}' AS {name})"
    if name.startswith(("char", "varchar")):
        length = int(name.partition("(")[2].strip(")"))
        return random.choice(("''", "'x'", "'x '"[: length + 1] + "'"[: length < 2], "'y'", "' '"))
    return _other(random, name, flavour)


def _other(random: Random, name: str, flavour: str) -> str:
    match name:
        case "string":
            return random.choice(FLAVOURS[flavour])
        case "binary":
            return random.choice(BYTES)
        case "date":
            return f"DATE'{random.choice(DATES)}'"
        case "timestamp":
            return f"TIMESTAMP'{random.choice(DATES)} {random.choice(CLOCKS)}{random.choice(('', 'Z', '+00:00'))}'"
    assert name == "timestamp_ntz", name
    return f"TIMESTAMP_NTZ'{random.choice(DATES)} {random.choice(CLOCKS)}'"


def _whole(random: Random, name: str) -> str:
    limit = 2 ** WHOLE_BITS[name]
    awkward = [0, 1, -1, 9, 10, 20, limit - 1, -limit + 1]
    if name == "bigint":
        awkward += [2**53, 2**53 + 1]
    number = random.choice(awkward)
    return f"{number}L" if abs(number) > 2**31 else str(number)


def _decimal(random: Random, name: str) -> str:
    precision, scale = (int(part) for part in name.partition("(")[2].strip(")").split(","))
    widest = "9" * (precision - scale) + ("." + "9" * scale if scale else "")
    short = ("0", "9", "9.50"[: 2 + scale] if scale else "9", "1")
    return random.choice((widest, f"-{widest}", *short, "10" if precision - scale > 1 else "2"))


def literal(random: Random, kind: Kind, *, flavour: str = "any") -> str:
    """What somebody writes beside a value of this type: of that type, or of another that may fit."""
    if not isinstance(kind, Scalar) or random.random() < 0.35:
        return value(random, kind, flavour=flavour, nulls=0.05)
    return random.choice(_beside(random, kind.name, flavour))


def _beside(random: Random, name: str, flavour: str) -> tuple[str, ...]:
    if name in WHOLE_BITS or name.startswith(("decimal", "float", "double")):
        small = f"-{2 ** WHOLE_BITS[name]}{SUFFIXES[name]}" if name in WHOLE_BITS else "-9223372036854775808L"
        texts = ("'9'", "'10'", "'20'", "' 9 '") if name in WHOLE_BITS else (*NUMBER_TEXTS, "' 9.5 '")
        return (*texts, "9", "9.5", "9.50", "10", "20", "9.5D", "0.0D", "-0.0D", "9007199254740993L", "0", small, "1e1")
    if name == "date" or name.startswith("timestamp"):
        day, clock = random.choice(DATES), random.choice(CLOCKS)
        other = (f"TIMESTAMP'{day} {clock}'", f"TIMESTAMP_NTZ'{day} {clock}'", f"DATE'{day}'")
        texts = ("'2024-1-5'", f"'{day}'") if name == "date" else (f"'{day} {clock}'", f"'{day}'", f"'{day}T{clock}Z'")
        return (*texts, *other)
    if name == "string" and flavour == "dates":
        return ("DATE'2024-01-05'", "DATE'2024-12-31'", "TIMESTAMP'2024-01-05 00:00:00'", *DATE_TEXTS)
    if name == "string" and flavour == "numbers":
        return ("9.5", "10.0", "9.5D", "1e1", *NUMBER_TEXTS)
    if name == "boolean":
        return ("'true'", "'f'", "true", "false")
    if name == "binary":
        return (*BYTES, "'x'", "''")
    return ("'x'", "'x  '", "'y'", "''", "' '", "repeat('x', 3)")
