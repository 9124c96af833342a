"""SQL of partition transforms for Spark, whose values are those of ``catalog_app.domain.transforms``.

Spark's own ``hash`` is Murmur3 that begins with 42, and takes its result from one column to the next. So a first
column with a constant whose hash is 0 makes it begin with 0, as Iceberg's. It takes whole numbers and whole words of
bytes as Iceberg does, but not the one to three bytes behind the last word: these are mixed in by arithmetic.
"""

from __future__ import annotations

from catalog_app.domain.transforms import (
    BUCKET,
    DAYS,
    HOURS,
    MONTHS,
    TRUNCATE,
    Transform,
    decimal_parameters,
    family,
)

_ALL = 0xFFFFFFFF
_FIRST, _SECOND = 0xCC9E2D51, 0x1B873593
_THIRD, _FOURTH = 0x85EBCA6B, 0xC2B2AE35
_STEP = 0xE6546B64


def _inverse(odd: int) -> int:
    return pow(odd, -1, 1 << 32)


def _constant() -> int:
    """The INT of which Spark's hash, beginning with 42, is 0: the steps backwards from a state that ends as 0."""
    state = (4 - _STEP) * _inverse(5) & _ALL
    word = _rotated_right(state, 13) ^ 42
    found = _rotated_right(word * _inverse(_SECOND) & _ALL, 15) * _inverse(_FIRST) & _ALL
    return found - (1 << 32) if found >= 1 << 31 else found


def _rotated_right(word: int, by: int) -> int:
    return ((word >> by) | (word << (32 - by))) & _ALL


_ZERO = _constant()


def transform_sql(one: Transform, column_type: str, column: str) -> str:
    """SQL of the transform of a column, NULL where it is NULL. ``column``: SQL of its value."""
    name = family(column_type)
    if one.name == BUCKET:
        hashed = _hash_sql(column_type, column)
        return f"IF({column} IS NULL, NULL, CAST(({hashed} & 2147483647) % {one.number} AS INT))"
    if one.name == TRUNCATE:
        return _truncated_sql(one.number, column_type, column)
    moment = f"CAST({column} AS TIMESTAMP)" if name == "timestamp_ntz" else column
    if one.name == HOURS:
        return f"CAST(floor(unix_micros({moment}) / 3600000000BD) AS INT)"
    day = f"CAST({column} AS DATE)"
    if one.name == DAYS:
        return f"unix_date({day})"
    if one.name == MONTHS:
        return f"((year({day}) - 1970) * 12 + month({day}) - 1)"
    return f"(year({day}) - 1970)"


def _truncated_sql(width: int, column_type: str, column: str) -> str:
    name = family(column_type)
    if name == "decimal":
        precision, scale = decimal_parameters(column_type)
        unit = f"CAST('{width}E-{scale}' AS DECIMAL(38, {scale}))"
        return f"CAST({column} - pmod({column}, {unit}) AS DECIMAL({precision}, {scale}))"
    if name in ("string", "varchar", "char"):
        return f"left({column}, {width})"
    return f"CAST(CAST({column} AS DECIMAL(20, 0)) - pmod(CAST({column} AS DECIMAL(20, 0)), {width}) AS {name.upper()})"


def _hash_sql(column_type: str, column: str) -> str:
    name = family(column_type)
    if name == "date":
        return _whole_hash(f"CAST(unix_date({column}) AS BIGINT)")
    if name in ("timestamp", "timestamp_ntz"):
        return _whole_hash(column)
    if name in ("string", "varchar", "char"):
        return _bytes_hash(f"CAST({column} AS BINARY)")
    if name == "binary":
        return _bytes_hash(column)
    if name == "decimal":
        return _bytes_hash(_unscaled_bytes(decimal_parameters(column_type)[1], column))
    return _whole_hash(f"CAST({column} AS BIGINT)")


def _whole_hash(value: str) -> str:
    return f"hash({_ZERO}, {value})"


def _unscaled_bytes(scale: int, column: str) -> str:
    """The fewest bytes of the unscaled number, the highest first."""
    number = f"CAST({column} * 1{'0' * scale}BD AS BIGINT)"
    sizes = " ".join(
        f"WHEN n BETWEEN {-(1 << (8 * size - 1))} AND {(1 << (8 * size - 1)) - 1} THEN {size}" for size in range(1, 8)
    )
    whole = "unhex(lpad(hex(n), 16, '0'))"
    return _let("n", number, f"CASE {sizes} ELSE 8 END", f"substring({whole}, 9 - v, v)")


def _let(name: str, value: str, *steps: str) -> str:
    """SQL in which each step may use the value before it many times and it is worked out once. The first step knows it
    as ``name``, each other knows both: ``name``, and the step before as ``v``.
    """
    first, *others = steps
    inside = first
    for step in others:
        inside = f"transform(array({inside}), v -> {step})[0]"
    return f"transform(array({value}), {name} -> {inside})[0]"


def _bytes_hash(value: str) -> str:
    """Whole words by Spark's hash, whose last step is taken back for the bytes behind them."""
    head = f"hash({_ZERO}, substring(b, 1, length(b) - length(b) % 4))"
    rest = (
        "aggregate(sequence(length(b) % 4, 1, -1), 0L,"
        " (w, at) -> w * 256L + CAST(conv(hex(substring(b, length(b) - length(b) % 4 + at, 1)), 16, 10) AS BIGINT))"
    )
    known = (
        # The state before the last step.
        f"CAST({head} AS BIGINT) & {_ALL}L",
        "v ^ shiftright(v, 16)",
        _times("v", _inverse(_FOURTH)),
        "v ^ shiftright(v, 13) ^ shiftright(v, 26)",
        _times("v", _inverse(_THIRD)),
        "v ^ shiftright(v, 16) ^ CAST(length(b) - length(b) % 4 AS BIGINT)",
        # The bytes that are left.
        f"v ^ {_mixed(rest)}",
        # The last step.
        "v ^ CAST(length(b) AS BIGINT)",
        "v ^ shiftright(v, 16)",
        _times("v", _THIRD),
        "v ^ shiftright(v, 13)",
        _times("v", _FOURTH),
        "CAST((v ^ shiftright(v, 16)) & 2147483647 AS INT)",
    )
    mixed = _let("b", value, *known)
    return f"IF(length({value}) % 4 = 0, hash({_ZERO}, {value}), {mixed})"


def _times(value: str, factor: int) -> str:
    """The lower 32 bits of a product with 32 bits, of which no part exceeds BIGINT."""
    high = f"shiftleft((shiftright({value}, 16) * {factor}L) & 65535L, 16)"
    return f"((({value} & 65535L) * {factor}L) + {high}) & {_ALL}L"


def _mixed(word: str) -> str:
    steps = (
        _times("w", _FIRST),
        f"(shiftleft(v, 15) | shiftright(v, 17)) & {_ALL}L",
        _times("v", _SECOND),
    )
    return _let("w", word, *steps)
