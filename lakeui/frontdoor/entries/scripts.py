"""A script before it runs: every statement is read, and what cannot stand where it stands is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from lakeui.common.errors import InvalidValue, LakeError, NotFound, NotSupported
from lakeui.common.nearest import nearest_name
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.dispatch import admit
from lakeui.frontdoor.inputs_outputs import Session
from lakeui.frontdoor.parsing import ParsedStatement, parsed
from lakeui.frontdoor.rights import catalogs_named
from lakeui.frontdoor.sessions.sql_sessions import MOVES
from lakeui.frontdoor.sessions.temporary import parameters_after
from lakeui.frontdoor.statements import ALONE, has
from lakeui.sql import statements as sql
from lakeui.sql.parameters import Parameter, Parameters
from lakeui.sql.scripts import ScriptStatement, script_split
from merge_app.jobs.context import Context

BEGIN_NUMBER = 0


@dataclass(frozen=True, slots=True)
class Step:
    """One statement of a script, and where it begins. ``read``: None while it cannot be read. ``is_framing``: it begins
    or ends the transaction that the whole script is.
    """

    number: int
    line: int
    text: str
    parameters: Parameters
    read: ParsedStatement | None
    is_framing: bool = False
    column: int = 1

    @property
    def statement(self) -> Any:
        """What it does; None of a dry run, which leaves all as it is."""
        return None if self.read is None or self.read.is_dry_run else self.read.statement


@dataclass(frozen=True, slots=True)
class Script:
    """``steps`` in the order in which they run; ``count`` is how many statements were sent."""

    steps: tuple[Step, ...]
    count: int


def script_read(text: str, parameters: Parameters, *, one_transaction: bool = False, dry_run: bool = False) -> Script:
    """The script, with the values that each statement has markers for. Nothing has run when it raises, naming the
    statement: SyntaxProblem, NotSupported, ForbiddenStatement, InvalidValue.
    """
    if parameters.positional:
        raise _problem("Markers ? of a script take no values.", "Write :name, and send an object.", "parameters")
    if dry_run and not one_transaction:
        raise _problem(
            "A script that is no transaction has no dry run.",
            "Send `one_transaction` with it: all is done, and rolled back at the end.",
            "dry_run",
        )
    parts = script_split(text)
    _refuse_unused(parts, parameters)
    steps: list[Step] = []
    session = parameters
    for part in parts:
        steps.append(_step(part, parameters.named, session, len(parts)))
        session = parameters_after(steps[-1].statement, session)
    if one_transaction:
        first, last = parts[0].line, parts[-1].line
        steps.insert(0, _framing(BEGIN_NUMBER, first, "BEGIN"))
        steps.append(_framing(len(parts) + 1, last, "ROLLBACK" if dry_run else "COMMIT"))
    _refuse_misplaced(steps, len(parts))
    return Script(tuple(steps), len(parts))


def script_admit(script: Script, session: Session) -> int | None:
    """Judge the first statement, as it will be judged again when it runs. The others are judged when they run, on what
    those before them made. Answers the catalog whose members may see the script, None where only its author may.
    """
    first = script.steps[0]
    admit(first.read or first.text, replace(session, parameters=first.parameters))
    names = {name.casefold() for step in script.steps for name in catalogs_named(step.read)}
    names |= {step.statement.name.casefold() for step in script.steps if isinstance(step.statement, _NAMING)}
    if session.catalog:
        names.add(session.catalog.casefold())
    if len(names) != 1:
        return None
    try:
        return Call(session, Context(), "").catalog_named(names.pop()).pk
    except NotFound:
        # The script makes it.
        return None


_NAMING = (
    *(sql.CreateCatalog, sql.RenameCatalog, sql.DropCatalog, sql.UndropCatalog, sql.UseCatalog),
    *(sql.SetCatalogProperties, sql.UnsetCatalogProperties, sql.DescribeCatalog),
)
"""Statements whose ``name`` is that of a catalog."""


def step_error(error: LakeError, step: Step, count: int) -> LakeError:
    """The error, naming the statement of the script that it is of."""
    where = f"The {step.text} of the script" if step.is_framing else f"Statement {step.number} of {count}"
    error.message = f"{where} (line {step.line}): {error.message}"
    error.args = (error.message,)
    error.details["script"] = {"number": step.number, "line": step.line}
    return error


def placed_in_script(error: LakeError, step: Step) -> LakeError:
    """The error, found while the statement ran, at its place in the whole script."""
    line, column = error.details.get("line"), error.details.get("column")
    if not (isinstance(line, int) and isinstance(column, int)) or step.is_framing:
        return error
    place = {"line": line + step.line - 1, "column": column + step.column - 1 if line == 1 else column}
    said, meant = (f"line {at['line']}, column {at['column']}" for at in ({"line": line, "column": column}, place))
    error.message = error.message.replace(said, meant)
    error.args = (error.message,)
    error.details |= place
    return error


def _step(part: ScriptStatement, values: Mapping[str, Parameter], session: Parameters, count: int) -> Step:
    parameters = replace(session, named={name: value for name, value in values.items() if name in part.names})
    step = Step(part.number, part.line, part.text, parameters, None, column=part.column)
    try:
        return replace(step, read=replace(parsed(part.padded, parameters), text=part.text))
    except LakeError as error:
        raise step_error(error, step, count) from None


def _framing(number: int, line: int, text: str) -> Step:
    return Step(number, line, text, Parameters(), parsed(text), is_framing=True)


def _refuse_unused(parts: tuple[ScriptStatement, ...], parameters: Parameters) -> None:
    used = frozenset[str]().union(*(part.names for part in parts))
    for name in parameters.named:
        if name not in used:
            raise _problem(
                f"No statement of the script has the marker :{name}.",
                "Leave the value out, or write the marker.",
                "parameters",
                nearest_name(name, sorted(used)),
            )


def _refuse_misplaced(steps: list[Step], count: int) -> None:
    """Transactions begin and end, one at a time, and hold what can be part of one."""
    opened: Step | None = None
    for step in steps:
        kind = step.statement
        if isinstance(kind, sql.BeginTransaction):
            if opened is not None:
                raise step_error(_misplaced("A transaction is open already."), step, count)
            opened = step
        elif isinstance(kind, sql.CommitTransaction | sql.RollbackTransaction):
            if opened is None or (opened.is_framing and not step.is_framing):
                raise step_error(_misplaced("No transaction that the script began ends here."), step, count)
            opened = None
        elif opened is not None and kind is not None and (has(kind, ALONE) or isinstance(kind, MOVES)):
            raise step_error(
                NotSupported("This statement cannot be part of a transaction.", remedy="Move it out of it."),
                step,
                count,
            )
    if opened is not None:
        raise step_error(_misplaced("The transaction that begins here does not end."), opened, count)


def _misplaced(message: str) -> InvalidValue:
    return _problem(message, "Write BEGIN and COMMIT or ROLLBACK in pairs.", "script")


def _problem(message: str, remedy: str, field: str, nearest: str | None = None) -> InvalidValue:
    return InvalidValue(message, remedy=remedy, field=field, nearest=nearest)
