"""Keys of a MERGE that stand beside CHAR columns: a text of the source is compared as the column would store it."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from lakeui.sql.dialect import read_expression, write
from lakeui.sql.statements import MergeKey


def with_padded_keys(on: str, target: str, lengths: Mapping[MergeKey, int]) -> str:
    """The condition ON with these keys of the source padded to the length of their CHAR column.

    ``target`` is what columns call the target. Spark itself pads a literal or another CHAR, not a text of a row.
    """
    holder = exp.Paren(this=read_expression(on))
    for conjunct in list(holder.find_all(exp.EQ, exp.NullSafeEQ)):
        for column, other in ((conjunct.this, conjunct.expression), (conjunct.expression, conjunct.this)):
            length = _length(column.unnest(), other, target, lengths)
            if length is not None:
                other.replace(read_expression(_padded(write(other), length)))
    return write(holder.this)


def _length(column: exp.Expr, other: exp.Expr, target: str, lengths: Mapping[MergeKey, int]) -> int | None:
    if not isinstance(column, exp.Column) or column.table.casefold() != target.casefold():
        return None
    name, text = column.name.casefold(), write(other)
    found = (length for key, length in lengths.items() if (key.column.casefold(), key.source) == (name, text))
    return next(found, None)


def _padded(value: str, length: int) -> str:
    bare = f"rtrim({value})"
    return f"rpad({bare}, greatest({length}, char_length({bare})))"
