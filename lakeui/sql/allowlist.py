"""What SQL may reach: the check that every tree passes before a text is made of it for Spark.

It fails closed. Kinds of nodes, functions, types and even the words inside of nodes are on lists; anything else is
refused. Table names are not looked up here: ``query`` takes every one of them out of the text.
"""

from __future__ import annotations

import difflib
import re
from functools import cache
from pathlib import Path
from typing import Any

from sqlglot import exp

from catalog_app.domain.other_types import way_out
from lakeui.common.errors import ForbiddenStatement, LakeError, NotSupported
from lakeui.sql.change_tables import TABLE_CHANGES, TABLE_DIFFERENCE, check_change_table, is_change_table
from lakeui.sql.growth import growth_check, words
from lakeui.sql.session_values import FUNCTIONS as SESSION_FUNCTIONS
from lakeui.sql.sizes import sizes_check

PLACEHOLDER_PREFIX = "__lake_"


_QUERY_NODES = words(
    """Select Union Intersect Except Subquery With CTE TableAlias Table From Join Where Group Having Order Ordered Limit
    Offset Distinct Values Tuple Lateral Window WindowSpec Sort Cluster Distribute Qualify TableSample Pivot PivotAlias
    UnpivotColumns Cube Rollup GroupingSets Version PivotAny"""
)
_EXPRESSION_NODES = words(
    """Column Identifier Star Dot Literal Boolean Null Alias Aliases Paren Cast TryCast DataType DataTypeParam ColumnDef
    Interval IntervalSpan Var Case If Anonymous Lambda Kwarg Bracket Extract Trim Substring StrPosition Overlay
    CurrentDate CurrentTimestamp Filter WithinGroup IgnoreNulls RespectNulls In Between Like ILike RegexpLike Escape Is
    Not And Or EQ NEQ GT GTE LT LTE NullSafeEQ NullSafeNEQ Exists Any All Add Sub Mul Div IntDiv Mod BitwiseAnd
    BitwiseOr BitwiseXor BitwiseNot BitwiseLeftShift BitwiseRightShift BitwiseUnsignedRightShift Neg DPipe Collate
    HexString VariantPath"""
)
_NODES = _QUERY_NODES | _EXPRESSION_NODES
# Kinds of query nodes that stand in expressions, too.
_SUBQUERY_NODES = _QUERY_NODES - words("Tuple Window WindowSpec Order Ordered Distinct")
_WRITING_NODES = (exp.Insert, exp.Update, exp.Delete, exp.Merge)
_TYPES = words(
    """BOOLEAN TINYINT SMALLINT INT BIGINT FLOAT DOUBLE DECIMAL TEXT VARCHAR CHAR BINARY VARBINARY DATE TIMESTAMP
    TIMESTAMPTZ TIMESTAMPLTZ TIMESTAMPNTZ ARRAY MAP STRUCT INTERVAL VARIANT NULL"""
)
# Bare words that Spark takes for functions which tell about the host's session.
_SESSION_WORDS = frozenset({"current_user", "session_user", "current_catalog", "current_database", "current_schema"})
# Functions that tell the time.
_OF_SESSION = "Leave it out: a query answers the same to everybody who may read."
_FILES = "A query reads tables; files come in by upload or import."
_NO_TIME = f"Its type is TIME, which is none here. {way_out('time')}"
_ELSEWHERE = {
    **dict.fromkeys(("is_member", "is_account_group_member"), _OF_SESSION),
    "identifier": "Write the name itself: names are no values here. :name stands for a value.",
    **dict.fromkeys(("time", "current_time", "make_time", "to_time", "try_to_time"), _NO_TIME),
    **dict.fromkeys(("time_diff", "time_trunc", "time_from_seconds", "time_from_millis", "time_from_micros"), _NO_TIME),
    **dict.fromkeys(("time_to_seconds", "time_to_millis", "time_to_micros"), _NO_TIME),
    **dict.fromkeys(("read_files", "list_files", "input_file_name", "input_file_block_start"), _FILES),
}
"""Functions that people of Spark know and that cannot be called, with a way out."""
_CLOCK = words("""current_date current_timestamp curdate now localtimestamp unix_timestamp current_time localtime""")
_WORDS = re.compile(r"[A-Za-z_ ]{0,40}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]{0,80}")
_NUMBER = re.compile(r"(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_HEX = re.compile(r"[0-9A-Fa-f]*")


@cache
def _functions() -> dict[str, bool]:
    """The allowed functions, and of each whether it answers the same every time."""
    lines = Path(__file__).with_name("functions.txt").read_text(encoding="utf-8").splitlines()
    names = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return {name.lstrip("?"): not name.startswith("?") for name in names}


def function_names() -> list[str]:
    """The functions that a query may call, by name."""
    return sorted({*_functions(), TABLE_CHANGES, TABLE_DIFFERENCE, *SESSION_FUNCTIONS})


def words_of_elsewhere() -> frozenset[str]:
    """Names that are refused as functions, with a way out of their own."""
    return frozenset(_ELSEWHERE) | _SESSION_WORDS


def check(tree: exp.Expr, *, deterministic: bool = False, allow_queries: bool = True) -> None:
    """Refuse the tree unless every part of it is allowed.

    ``deterministic`` refuses functions of chance; ``allow_queries`` False refuses subqueries (as not supported).
    """
    for node in tree.walk():
        name = type(node).__name__
        if isinstance(node, _WRITING_NODES):
            raise NotSupported(
                f"{name.upper()} inside of another statement is not supported.", remedy="Write it as a statement."
            )
        if name not in _NODES:
            raise _refusal(f"{_spoken(name)} cannot be used here")
        if not allow_queries and name in _SUBQUERY_NODES:
            raise NotSupported(
                "A subquery in this place is not supported yet.",
                remedy="Join it in a query: MERGE INTO takes one as its source, USING (SELECT ..) AS s.",
            )
        _check_parts(node)
        checker = _CHECKERS.get(name)
        if checker is not None:
            checker(node)
        if deterministic and isinstance(node, exp.Anonymous) and not _functions().get(node.name.lower(), True):
            raise ForbiddenStatement(
                f"{node.name} answers differently each time and cannot decide which rows a statement changes.",
                remedy="Use only functions of the row and of the time of the statement.",
                function=node.name,
            )
    sizes_check(tree)


def is_deterministic(tree: exp.Expr) -> bool:
    """Whether an expression that passed the check has no function of chance."""
    names = (node.name.lower() for node in tree.find_all(exp.Anonymous))
    return all(_functions().get(name, True) for name in names)


def is_repeatable(tree: exp.Expr) -> bool:
    """Whether an expression that passed the check gives the same for the same row whenever it is run."""
    for node in tree.walk():
        if isinstance(node, exp.CurrentDate | exp.CurrentTimestamp):
            return False
        if isinstance(node, exp.Anonymous) and (
            node.name.lower() in _CLOCK or not _functions().get(node.name.lower(), True)
        ):
            return False
        if isinstance(node, exp.Column) and not node.table and node.name.lower() in _CLOCK:
            return False
    return True


def _check_parts(node: exp.Expr) -> None:
    """Text that a node carries beside its children is keywords only; names and literals are checked on their own."""
    if isinstance(node, exp.Identifier | exp.Literal | exp.Var | exp.Anonymous | exp.HexString):
        return
    for part in node.args.values():
        for item in part if isinstance(part, list) else [part]:
            if isinstance(item, str) and not _WORDS.fullmatch(item):
                raise _refusal(f"{item[:40]!r} cannot be used here")
            if not isinstance(item, str | bool | int | exp.Expr | exp.DType | None):
                raise _refusal(f"{_spoken(type(item).__name__)} cannot be used here")


def _check_function(node: Any) -> None:
    name = node.name
    if is_change_table(node):
        check_change_table(node)
        return
    if name.lower() in _ELSEWHERE:
        raise ForbiddenStatement(
            f"The function {name} is not allowed.", remedy=_ELSEWHERE[name.lower()], function=name, nearest=None
        )
    if name.lower() not in _functions():
        nearest = difflib.get_close_matches(name.lower(), _functions(), n=1)
        raise ForbiddenStatement(
            f"The function {name} is not allowed.",
            remedy=f"Did you mean {nearest[0]}?"
            if nearest
            else "Only functions of Spark SQL that read no outside state are.",
            function=name,
            nearest=nearest[0] if nearest else None,
        )
    growth_check(node, is_random=lambda inner: not _functions().get(inner, True))


def _check_identifier(node: Any) -> None:
    if node.name.lower().startswith(PLACEHOLDER_PREFIX):
        raise ForbiddenStatement(f"Names that start with {PLACEHOLDER_PREFIX} are reserved.", remedy="Choose another.")


def _check_column(node: Any) -> None:
    word = node.this
    if isinstance(word, exp.Identifier) and not node.table and word.name.lower() in _SESSION_WORDS:
        raise ForbiddenStatement(
            f"{word.name} tells about the host and is not allowed.",
            remedy=f"Write {word.name.lower()}(), which tells about the session here.",
        )


def _check_dot(node: Any) -> None:
    if isinstance(node.expression, exp.Anonymous):
        name = node.expression.name
        raise ForbiddenStatement(
            f"The function {name} cannot be called by a name in front of it.",
            remedy=f"Write {name}(..) alone: functions are Spark's or the session's, and no database has any.",
            function=name,
        )
    if not isinstance(node.expression, exp.Identifier | exp.Star):
        raise _refusal("A function behind a dot cannot be called")


def _check_literal(node: Any) -> None:
    if not node.is_string and not _NUMBER.fullmatch(node.name):
        raise _refusal(f"{node.name[:40]} is not a number and")


def _check_word(node: Any) -> None:
    if not _NAME.fullmatch(node.name):
        raise _refusal(f"{node.name[:40]!r} cannot be used here")


def _check_hex(node: Any) -> None:
    if not _HEX.fullmatch(str(node.this)):
        raise _refusal("This binary literal cannot be used")


def _check_type(node: Any) -> None:
    if isinstance(node.this, exp.Interval):
        return
    if not isinstance(node.this, exp.DType) or node.this.name not in _TYPES or node.args.get("kind") is not None:
        name = node.this.name if isinstance(node.this, exp.DType) else str(node.this)
        raise ForbiddenStatement(f"The type {name.upper()} cannot be used.", remedy=way_out(name))


def _check_table(node: Any) -> None:
    """A managed table or a table function, with nothing else tied to it."""
    known = {"this", "db", "catalog", "alias", "version", "joins", "laterals", "pivots", "sample"}
    extra = {key for key, value in node.args.items() if value and key not in known}
    if extra or not isinstance(node.this, exp.Identifier | exp.Anonymous):
        raise _refusal("This way to name a table cannot be used")


_CHECKERS: dict[str, Any] = {
    "Anonymous": _check_function,
    "Identifier": _check_identifier,
    "Column": _check_column,
    "Dot": _check_dot,
    "Literal": _check_literal,
    "Var": _check_word,
    "HexString": _check_hex,
    "DataType": _check_type,
    "Table": _check_table,
}


def _refusal(what: str) -> LakeError:
    return ForbiddenStatement(
        f"{what}: only managed tables, VALUES and listed functions may be reached.",
        remedy="Write it with plain Spark SQL over tables named db.table.",
    )


def _spoken(name: str) -> str:
    """A node's class name as words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).upper()
