"""Temporary views, functions, the mode of overwrites. No statement changes a session: it answers what to send next."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from catalog_app.domain.names import name_check
from lakeui.common.errors import AlreadyExists, NotFound, NotSupported
from lakeui.common.nearest import nearest_name
from lakeui.frontdoor.call import Call
from lakeui.frontdoor.compute import engine
from lakeui.frontdoor.inputs_outputs import StatementResult, answer
from lakeui.frontdoor.queries.queries import query_source
from lakeui.frontdoor.tables.show import strings
from lakeui.sql import statements as sql
from lakeui.sql.allowlist import function_names
from lakeui.sql.functions import function_read
from lakeui.sql.parameters import Parameters


def create_temporary_view(call: Call, statement: sql.CreateTemporaryView) -> StatementResult:
    name_check("view", statement.name)
    known = call.session.parameters
    if not statement.or_replace and statement.name.casefold() in {name.casefold() for name, _ in known.views}:
        raise AlreadyExists("view", statement.name, remedy="Use CREATE OR REPLACE TEMPORARY VIEW.")
    source = query_source(call, statement.query)
    engine().describe(source.text, source.tables)
    return _answer(parameters_after(statement, known))


def drop_temporary_view(call: Call, statement: sql.DropTemporaryView) -> StatementResult:
    known = call.session.parameters
    names = [name for name, _ in known.views]
    if statement.name.casefold() not in map(str.casefold, names) and not statement.if_exists:
        raise NotFound("view", statement.name, nearest=nearest_name(statement.name, names), where="in the session")
    return _answer(parameters_after(statement, known))


def set_partition_overwrite(_call: Call, statement: sql.SetPartitionOverwrite) -> StatementResult:
    return StatementResult(extra={"partition_overwrite": "dynamic" if statement.is_dynamic else "static"})


def create_temporary_function(call: Call, statement: sql.CreateTemporaryFunction) -> StatementResult:
    name_check("function", statement.name)
    known = call.session.parameters
    if not statement.or_replace and statement.name.casefold() in {name.casefold() for name, _ in known.functions}:
        raise AlreadyExists("function", statement.name, remedy="Use CREATE OR REPLACE TEMPORARY FUNCTION.")
    source = query_source(call, statement.query)
    engine().describe(source.text, source.tables)
    return _functions(parameters_after(statement, known))


def drop_temporary_function(call: Call, statement: sql.DropTemporaryFunction) -> StatementResult:
    known = call.session.parameters
    if not statement.if_exists:
        _named(statement.name, known)
    return _functions(parameters_after(statement, known))


def describe_function(call: Call, statement: sql.DescribeFunction) -> StatementResult:
    known = call.session.parameters
    if statement.name.casefold() in function_names() and statement.name.casefold() not in _folded(known):
        raise NotSupported(
            f"{statement.name} is a function of Spark SQL, whose own pages describe it.",
            remedy="DESCRIBE FUNCTION shows those of the session; SHOW FUNCTIONS lists all.",
            function=statement.name,
        )
    found = function_read(*_named(statement.name, known))
    rows = [
        ["Function", found.name],
        ["Type", "SCALAR, of the session"],
        ["Input", ", ".join(f"{name} {kind}" for name, kind in found.parameters)],
        ["Returns", found.returns or "what the body is"],
        ["Body", found.body],
    ]
    return answer(strings("info_name", "info_value"), [list(row) for row in rows])


def _folded(known: Parameters) -> set[str]:
    return {name.casefold() for name, _ in known.functions}


def _named(name: str, known: Parameters) -> tuple[str, str]:
    """The function of that name, and its text."""
    for found in known.functions:
        if found[0].casefold() == name.casefold():
            return found
    names = [found for found, _ in known.functions]
    raise NotFound("function", name, nearest=nearest_name(name, names), where="in the session")


def _functions(parameters: Parameters) -> StatementResult:
    return StatementResult(extra={"temporary_functions": dict(parameters.functions)})


def describe_query(call: Call, statement: sql.DescribeQuery) -> StatementResult:
    source = query_source(call, statement.query)
    rows = [[name, kind, True, None, ""] for name, kind in engine().describe(source.text, source.tables)]
    columns = [*strings("column", "type"), ("nullable", "boolean"), *strings("default", "comment")]
    return answer(columns, rows, call.snapshot.version if call.session.catalog else None)


def _answer(parameters: Parameters) -> StatementResult:
    return StatementResult(extra={"temporary_views": dict(parameters.views)})


def parameters_after(statement: Any, before: Parameters) -> Parameters:
    """What the statements behind this one are read with, but for the values of markers."""
    match statement:
        case sql.UseDatabase():
            return replace(before, database=statement.database.database)
        case sql.UseCatalog():
            return replace(before, database=None)
        case sql.SetPartitionOverwrite():
            return replace(before, overwrites_dynamically=statement.is_dynamic)
        case sql.CreateTemporaryFunction() | sql.DropTemporaryFunction():
            kept = [(name, text) for name, text in before.functions if name.casefold() != statement.name.casefold()]
            made = [(statement.name, statement.text)] if isinstance(statement, sql.CreateTemporaryFunction) else []
            return replace(before, functions=(*kept, *made))
        case sql.CreateTemporaryView() | sql.DropTemporaryView():
            kept = [(name, text) for name, text in before.views if name.casefold() != statement.name.casefold()]
            made = [(statement.name, statement.text)] if isinstance(statement, sql.CreateTemporaryView) else []
            return replace(before, views=(*kept, *made))
    return before
