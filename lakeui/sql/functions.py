"""``CREATE TEMPORARY FUNCTION f(x INT) RETURNS INT RETURN expression``, and what drops and shows such functions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache, partial
from typing import NoReturn

from sqlglot import exp

from catalog_app.domain.quoting import quote_name
from lakeui.common.errors import ForbiddenStatement, InvalidValue, LakeError, NotSupported
from lakeui.sql import statements as s
from lakeui.sql.allowlist import PLACEHOLDER_PREFIX, check, function_names, words_of_elsewhere
from lakeui.sql.common import accept_if_exists, accept_if_not_exists, forbid
from lakeui.sql.cursor import Cursor
from lakeui.sql.dialect import read_expression, read_query, write
from lakeui.sql.lexer import Kind
from lakeui.sql.names import read_path
from lakeui.sql.one_row import refuse_many_rows
from lakeui.sql.query import build_query
from lakeui.sql.session_functions import (
    FunctionReader,
    SessionFunction,
    function_hidden,
    functions_given,
    parameter_places,
    with_functions,
)
from lakeui.sql.session_values import session_values_refused
from lakeui.sql.types import read_type

MOST_PARAMETERS = 100
_NO_SESSION = "a function is called by other statements than the one that made it."
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")


def create_temporary_function(cursor: Cursor) -> s.CreateTemporaryFunction:
    return _create(cursor, or_replace=False)


def create_or_replace_temporary_function(cursor: Cursor) -> s.CreateTemporaryFunction:
    return _create(cursor, or_replace=True)


def refuse_function_of_database(cursor: Cursor, phrase: str) -> NoReturn:
    """A function whose body is SQL reaches nothing, but is kept by no branch. One of a class reaches the host."""
    if not any(word.value.upper() == "RETURN" for word in cursor.words):
        forbid(phrase)
    cursor.accept(*phrase.split())
    accept_if_not_exists(cursor)
    raise NotSupported(
        f"{phrase} makes a function of a database, and no branch keeps functions.",
        remedy=f"{_of_session(cursor)} For every session, make a view with the expression as a column.",
        statement=phrase,
    )


def _of_session(cursor: Cursor) -> str:
    """The function that the cursor stands before as one of the session, or what hinders that."""
    name = read_path(cursor)[-1]
    try:
        text = function_text(_signature(cursor, name))
    except LakeError as refusal:
        if isinstance(refusal, ForbiddenStatement):
            raise
        hindered = f"{refusal.message} {refusal.remedy}"
        return f"Write CREATE TEMPORARY FUNCTION {quote_name(name)}, which is of the session. {hindered}"
    return f"Write CREATE OR REPLACE TEMPORARY FUNCTION {quote_name(name)}{text}, which is of the session."


def _create(cursor: Cursor, *, or_replace: bool) -> s.CreateTemporaryFunction:
    if cursor.sees("IF"):
        raise NotSupported(
            "A function of the session takes no IF NOT EXISTS, as in Spark.",
            remedy="Write CREATE OR REPLACE TEMPORARY FUNCTION.",
        )
    name = cursor.name("the function's name")
    if cursor.sees("."):
        raise InvalidValue(
            f"The function {name} is of the session, not of a database.", remedy="Name it without a database."
        )
    if cursor.sees("AS"):
        forbid("CREATE TEMPORARY FUNCTION … AS")
    _refuse_name(name)
    function = _signature(cursor, name)
    nothing = exp.Anonymous(this=name, expressions=[exp.Null() for _ in function.parameters])
    text = function_text(function)
    # It is tried on a row without values, so that Spark finds types that do not fit.
    with functions_given(functions_of_texts([(name, text)])):
        tried = with_functions(exp.Select(expressions=[nothing]))
    with functions_given(()):
        query = build_query(write(tried))
    return s.CreateTemporaryFunction(name, query, text, or_replace)


def function_read(name: str, text: str) -> SessionFunction:
    """The function of a text that ``function_text`` made. Raises as any statement does: it came from outside."""
    _refuse_name(name)
    with functions_given(()):
        return _signature(Cursor(text), name)


_function = lru_cache(maxsize=256)(function_read)


def functions_of_texts(texts: Iterable[tuple[str, str]]) -> list[tuple[str, FunctionReader]]:
    """Functions by name and the texts that a session keeps of them; each is read where it is called."""
    return [(name, partial(_called, text)) for name, text in texts]


def _called(text: str, name: str) -> tuple[SessionFunction, exp.Expr]:
    function = _function(name, text)
    with functions_given(()):
        return function, read_expression(function.body)


def function_text(function: SessionFunction) -> str:
    """What is kept of a function: all but its name."""
    named = ", ".join(f"{quote_name(name)} {kind}" for name, kind in function.parameters)
    returns = "" if function.returns is None else f" RETURNS {function.returns}"
    return f"({named}){returns} RETURN {function.body}"


def _refuse_name(name: str) -> None:
    """Raise where a call of that name would not be one of this function."""
    if name.casefold().startswith(PLACEHOLDER_PREFIX):
        raise InvalidValue(f"Names that start with {PLACEHOLDER_PREFIX} are reserved.", remedy="Choose another.")
    if name.casefold() in {*function_names(), *words_of_elsewhere()} or not _is_read_as_call(name):
        raise ForbiddenStatement(
            f"{name} is a function of Spark SQL, or a word of the grammar.",
            remedy="Choose another name.",
            function=name,
        )


@lru_cache(maxsize=256)
def _is_read_as_call(name: str) -> bool:
    """Whether the grammar reads ``name(..)`` as a call with any number of arguments, and the word nowhere else."""
    word = name if _PLAIN.fullmatch(name) else quote_name(name)
    with functions_given(()):
        for arguments in ("", "NULL", "NULL, NULL"):
            try:
                [found] = read_query(f"SELECT {word}({arguments})").expressions
            except (LakeError, ValueError):
                return False
            if not isinstance(found, exp.Anonymous) or found.name.casefold() != name.casefold():
                return False
        for inner in ("NULL", "SELECT NULL"):
            # ``a AND (b)``, ``a OFFSET (b)``, ``a UNION (SELECT b)``: nothing of that may stand behind a value.
            with suppress(LakeError):
                read_query(f"SELECT NULL {word} ({inner})")
                return False
    return True


def _signature(cursor: Cursor, name: str) -> SessionFunction:
    """``(x INT, ..) [RETURNS type] RETURN expression``."""
    parameters = _parameters(cursor)
    returns = None
    if cursor.accept("RETURNS"):
        if cursor.sees("TABLE"):
            raise NotSupported("A function that returns a table is not supported.", remedy="Make a temporary view.")
        returns = read_type(cursor)
    if cursor.accept("LANGUAGE") and not cursor.accept("SQL"):
        forbid("CREATE FUNCTION … LANGUAGE")
    for words in (("NOT", "DETERMINISTIC"), ("DETERMINISTIC",), ("CONTAINS", "SQL")):
        cursor.accept(*words)
    if cursor.sees("COMMENT"):
        raise NotSupported("A function of the session has no comment.", remedy="Leave it out.")
    cursor.expect("RETURN")
    with session_values_refused(_NO_SESSION), function_hidden(name):
        body = read_expression(cursor.rest())
    _refuse_recursion(body, name)
    check(body, allow_queries=False)
    refuse_many_rows(body)
    parameter_places(body, name, [known.casefold() for known, _ in parameters])
    return SessionFunction(name, parameters, returns, write(body))


def _refuse_recursion(body: exp.Expr, name: str) -> None:
    if any(call.name.casefold() == name.casefold() for call in body.find_all(exp.Anonymous)):
        raise NotSupported(f"{name} calls itself.", remedy="Use aggregate(), or several columns.", function=name)


def _parameters(cursor: Cursor) -> tuple[tuple[str, str], ...]:
    cursor.expect("(")
    found: list[tuple[str, str]] = []
    while not cursor.accept(")"):
        if found:
            cursor.expect(",")
        name = cursor.name("a parameter's name")
        if name.casefold() in {known.casefold() for known, _ in found}:
            raise InvalidValue(f"The parameter {name} is given twice.", remedy="Give it once.", field=name)
        if len(found) == MOST_PARAMETERS:
            raise InvalidValue(
                f"A function has at most {MOST_PARAMETERS} parameters.", remedy="Pass a struct.", field=name
            )
        found.append((name, read_type(cursor)))
        for word in ("DEFAULT", "COMMENT"):
            if cursor.sees(word):
                raise NotSupported(f"A parameter has no {word}.", remedy="Leave it out, and pass each argument.")
    return tuple(found)


def drop_temporary_function(cursor: Cursor) -> s.DropTemporaryFunction:
    if_exists = accept_if_exists(cursor)
    return s.DropTemporaryFunction(cursor.name("the function's name"), if_exists)


def describe_function(cursor: Cursor) -> s.DescribeFunction:
    is_extended = cursor.accept("EXTENDED")
    if cursor.sees_kind(Kind.STRING):
        return s.DescribeFunction(cursor.string(), is_extended)
    return s.DescribeFunction(cursor.name("the function's name"), is_extended)
