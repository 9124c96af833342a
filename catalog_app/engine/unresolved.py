"""What is wrong with an expression that Spark cannot resolve, in the words of the statement that it stands in."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Any

from catalog_app.engine.expressions import Analysis, Expression, Reads, Side
from catalog_app.engine.failures import reason
from lakeui.common.errors import InvalidValue, LakeError

METADATA = frozenset({"_row_id", "_commit_version", "_metadata"})
"""Columns that a query can name of a table, and no statement that changes it."""

_QUOTED_NAME = re.compile(r"`(?:[^`]|``)*`(?:\.`(?:[^`]|``)*`)*")
_NAME_PART = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")


def problem(analysis: Analysis, expression: Expression, error: Any) -> LakeError:
    kind, parameters = str(error.getCondition() or ""), error.getMessageParameters() or {}
    where = sentence_start(expression.part)
    if kind.startswith("UNRESOLVED_COLUMN"):
        known = _names(analysis, expression.reads)
        if analysis.tables is not None:
            # The name may stand in a subquery, which has other columns: Spark proposes those of its place.
            known = [".".join(name_parts(item)) for item in _QUOTED_NAME.findall(parameters.get("proposal", ""))]
        return _unknown(analysis, expression, name_parts(parameters["objectName"]), known)
    if kind == "AMBIGUOUS_REFERENCE":
        name = ".".join(name_parts(parameters["name"]))
        meant = [".".join(name_parts(item)) for item in parameters["referenceNames"].strip("[]").split(", ")]
        return InvalidValue(
            f"{where}: {name} is ambiguous; it may be {' or '.join(sorted(meant))}.",
            remedy=f"Say of which table it is, for example {sorted(meant)[0]}.",
            **part_details(expression, name_parts(parameters["name"])),
        )
    message, remedy = reason(error)
    return InvalidValue(f"{where}: {message}", remedy=remedy, spark_class=kind, **part_details(expression))


def _unknown(analysis: Analysis, expression: Expression, parts: list[str], known: Sequence[str]) -> LakeError:
    """A name that is no column here; perhaps one of the table that has no row where the expression stands. ``known``:
    columns that are.
    """
    name, where = ".".join(parts), sentence_start(expression.part)
    details = part_details(expression, parts)
    for reads, side in ((Reads.SOURCE, analysis.target), (Reads.TARGET, analysis.source)):
        if side is not None and analysis.source is not None and expression.reads is reads and _is_of(side, parts):
            owner, usable = ("target", "source") if reads is Reads.SOURCE else ("source", "target")
            return InvalidValue(
                f"{name} is of the {owner}, and {expression.part} has no {owner} row.",
                remedy=f"Use columns of the {usable} only.",
                **details,
            )
    nearest = _nearest(name, known)
    listed = f"Columns here are {', '.join(known[:10])}." if known else "Check the name where it stands."
    remedy = f"Did you mean {nearest}?" if nearest else listed
    if METADATA & set(parts):
        remedy = "A query has it: MERGE INTO t USING (SELECT key FROM t WHERE _row_id = 1) AS s ON t.key = s.key .."
    return InvalidValue(f"{where}: there is no column {name}.", remedy=remedy, nearest=nearest, **details)


def _nearest(name: str, known: Sequence[str]) -> str | None:
    """The known name that was most likely meant: compared as a whole, then by what is behind the dot."""
    for part in (str, lambda item: item.rpartition(".")[2]):
        by_key = {part(item).casefold(): item for item in known}
        close = difflib.get_close_matches(part(name).casefold(), by_key, n=1, cutoff=0.6)
        if close:
            return by_key[close[0]]
    return None


def _is_of(side: Side, parts: Sequence[str]) -> bool:
    names = {name.casefold() for name, _ in side.columns}
    if len(parts) > 1 and parts[0].casefold() == side.alias.casefold():
        return parts[1].casefold() in names
    return parts[0].casefold() in names


def _names(analysis: Analysis, reads: Reads) -> list[str]:
    """What a person could write here: columns behind the alias, alone where the source has none."""
    sides = [
        side
        for side, unread in ((analysis.target, Reads.SOURCE), (analysis.source, Reads.TARGET))
        if side is not None and reads is not unread
    ]
    return [
        name if side.alias.startswith("__lake_") or len(sides) == 1 else f"{side.alias}.{name}"
        for side in sides
        for name, _ in side.columns
    ]


def name_parts(name: str) -> list[str]:
    """The parts of a name as Spark writes it, quoted with dots between; without what stands for a nameless source."""
    parts = [(quoted_part or bare).replace("``", "`") for quoted_part, bare in _NAME_PART.findall(name)]
    return [part for part in parts if not part.startswith("__lake_")]


def sentence_start(part: str) -> str:
    return part[:1].upper() + part[1:]


def part_details(expression: Expression, named: Sequence[str] = ()) -> dict[str, Any]:
    details: dict[str, Any] = {"part": expression.part}
    if named:
        details["name"] = ".".join(named)
    if expression.clause is not None:
        details["clause"] = expression.clause + 1
    return details
