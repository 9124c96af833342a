"""Spark's exceptions as errors that people can act on."""

from __future__ import annotations

import logging
import re
from typing import Any

from catalog_app.engine.reasons import explained
from catalog_app.engine.types import NOT_NESTED_MARK, NOT_NULL_MARK, TOO_LONG_MARK
from lakeui.common.errors import (
    EngineError,
    EngineLost,
    InvalidValue,
    LakeError,
    NotNullViolation,
    ResultTooLarge,
    SyntaxProblem,
)

logger = logging.getLogger(__name__)

_NOT_NULL = re.compile(NOT_NULL_MARK + r":([0-9a-f]*);")
_NOT_NESTED = re.compile(NOT_NESTED_MARK + r":([0-9a-f]*);")
_TOO_LONG = re.compile(TOO_LONG_MARK + r":(\d+):([0-9a-f]*);")
_CLASS = re.compile(r"\[([A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*)\] ?")
_POSITION = re.compile(r"line (\d+),? pos(?:ition)? (\d+)")
_SAME_FIELDS = re.compile(r"Duplicated field names in Arrow Struct are not allowed, got \[([^\]]*)\]")
_FOREIGN_ADVICE = re.compile(r" ?(?:If necessary set \"spark\.|Please, refer to 'https?:).*$")
"""Advice that only who runs a Spark of their own could follow."""
_OWN_CAST = re.compile(r"CAST\([sn]\d+ AS ([^()]*(?:\([^()]*\))?)\)")
"""How what is written casts a column of its rows to the type of the table's."""
_CAST_OF_EXPRESSION = re.compile(r"CAST\(\((.*)\n\) AS [^\n]*\)", re.DOTALL)
"""How a clause casts the expression of a statement."""
_UNKNOWN = (
    "SESSION_NOT_FOUND",
    "SESSION_CLOSED",
    "SESSION_CHANGED",
    "NO_ACTIVE_SESSION",
    "server side session identifier",
)
_LOST = (
    *_UNKNOWN,
    "RETRIES_EXCEEDED",
    "UNAVAILABLE",
    "Connection refused",
)
_TASKS_LOST = "ExecutorLostFailure"
"""The process of its tasks ended under a query, more often than Spark begins a task again. The server lives on."""
_PYTHON_BEGUN = re.compile(r"Error from python worker:\s*(?:\S+: )?([^\n]+)")
"""What a Python says that cannot begin a task, without its path."""
_PYTHON_RAISED = re.compile(r"^(?!org\.|java\.)[A-Za-z_][\w.]*(?:Error|Exception): ([^\n]+)", re.MULTILINE)
"""What stands at the end of a traceback."""
_TRACEBACK = "Traceback (most recent call last):"
_TOO_LARGE = re.compile(
    r"spark\.driver\.maxResultSize|message (?:is )?larger than max|gRPC message exceeds maximum size"
)
"""A job's result that the server's memory should not hold, or rows that no message holds."""
_VALUE_CLASSES = (
    "ARITHMETIC_OVERFLOW",
    "BINARY_ARITHMETIC_OVERFLOW",
    "CAST_INVALID_INPUT",
    "CAST_OVERFLOW",
    "COLLECTION_SIZE_LIMIT_EXCEEDED",
    "DATETIME_",
    "DIVIDE_BY_ZERO",
    "DUPLICATED_MAP_KEY",
    "INTERVAL_",
    "INVALID_",
    "NULL_MAP_KEY",
    "NUMERIC_",
    "REMAINDER_BY_ZERO",
    "SCALAR_SUBQUERY_TOO_MANY_ROWS",
    "STRUCT_ARRAY_LENGTH_MISMATCH",
    "UNEXPECTED_",
    "USER_RAISED_EXCEPTION",
)


def is_lost(error: BaseException) -> bool:
    """Whether the session or the server behind it is gone, so that a new session may help."""
    text = f"{type(error).__name__}: {error}"
    return any(mark in text for mark in _LOST) and _said_by_python(text) is None


def is_unknown(error: BaseException) -> bool:
    """Whether a server answers that does not know the session."""
    text = f"{type(error).__name__}: {error}"
    return any(mark in text for mark in _UNKNOWN)


def translate(error: BaseException) -> LakeError:
    """The error that a person sees for what Spark raised; the whole goes to the log."""
    text = str(error)
    marked = _marked(text)
    if marked is not None:
        return marked
    if match := _SAME_FIELDS.search(text):
        return InvalidValue(
            f"A struct of the answer has two fields of one name, among {match[1]}.",
            remedy="Give each field a name of its own.",
        )
    if _TOO_LARGE.search(text):
        return ResultTooLarge(
            "The result has more bytes than the compute engine holds at once.",
            remedy="Ask for fewer or narrower columns, or for fewer rows (LIMIT).",
        )
    name = _error_class(text)
    sentence = _sentence(text, name)
    if type(error).__name__ == "ParseException" and not name.startswith("INVALID_INLINE_TABLE"):
        return _syntax_problem(text, sentence, name)
    if _is_users_fault(error, name):
        message, remedy = explained(sentence, name)
        problem = InvalidValue(message, remedy=remedy, spark_class=name)
        problem.fragments = _fragments(error)
        return problem
    logger.error("Spark failed: %s", text)
    if _TASKS_LOST in text:
        return EngineLost()
    if is_lost(error):
        return EngineError(
            "The compute engine does not answer.", remedy="Wait until it has started again, then repeat the request."
        )
    if "OPERATION_CANCELED" in text:
        return EngineError("The statement was cancelled.", spark_class="OPERATION_CANCELED")
    python = _said_by_python(text)
    return EngineError(sentence, spark_class=name) if python is None else _tasks_failed(python, name)


def _tasks_failed(said: str, name: str) -> EngineError:
    return EngineError(
        f"Python failed in a task of Spark: {_CLASS.sub('', said).strip()}",
        remedy="Nothing was written. Executors need Python with pyarrow and pyspark, and keys of the store, also those"
        " of the Spark for queries: docs/howto/cluster.md. lakeui doctor tries both. If the store did not answer, run"
        " it again.",
        spark_class=name,
    )


def _said_by_python(text: str) -> str | None:
    """What is wrong in the Python of a task; None where another part failed."""
    if match := _PYTHON_BEGUN.search(text):
        return match[1]
    said = _PYTHON_RAISED.findall(text, text.find(_TRACEBACK)) if _TRACEBACK in text else []
    return str(said[-1]) if said else None


def reason(error: BaseException) -> tuple[str, str]:
    """What Spark says is wrong, as one sentence, and a way out."""
    name = _error_class(str(error))
    return explained(_sentence(str(error), name), name)


def _fragments(error: Any) -> tuple[str, ...]:
    """Parts of its text that Spark says it could not compute, the narrowest first. Where that is a cast of a name of
    ours to the type of a column, a cast to this type, and the value.
    """
    if not hasattr(error, "getQueryContext"):
        return ()
    said = error.getMessageParameters() or {}
    found = [said.get("sqlExpr", "").strip('"')]
    found += [item.fragment() for item in error.getQueryContext()[:1] if item.contextType().name == "SQL"]
    if clause := _CAST_OF_EXPRESSION.fullmatch(found[-1]):
        found.append(clause[1])
    elif ours := _OWN_CAST.fullmatch(found[-1]):
        found += [f"CAST(.. AS {ours[1]})", said.get("expression") or said.get("value", "")]
    return tuple(part for part in found if part)


def _error_class(text: str) -> str:
    classes = _CLASS.findall(text)
    return next((item for item in classes if item.startswith(_VALUE_CLASSES)), classes[0] if classes else "")


def _marked(text: str) -> LakeError | None:
    """The error that one of our own checks stands for."""
    if match := _NOT_NULL.search(text):
        return null_refused(bytes.fromhex(match[1]).decode())
    if match := _NOT_NESTED.search(text):
        column = bytes.fromhex(match[1]).decode()
        return InvalidValue(
            f"Column {column} has fields inside, but a value for it is a text.",
            remedy="Give an object or a list, or null.",
            column=column,
        )
    if match := _TOO_LONG.search(text):
        column = bytes.fromhex(match[2]).decode()
        return InvalidValue(
            f"A value for column {column} is longer than {match[1]} characters.",
            remedy="Shorten the value or widen the column.",
            column=column,
        )
    return None


def null_refused(column: str) -> NotNullViolation:
    return NotNullViolation(
        f"Column {column} is NOT NULL, but a row has no value for it.",
        remedy="Give every row a value, or set a default for the column.",
        column=column,
    )


def _is_users_fault(error: BaseException, name: str) -> bool:
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if kinds & {"AnalysisException", "ArithmeticException", "NumberFormatException", "DateTimeException"}:
        return not name.startswith("INTERNAL_ERROR")
    return name.startswith(_VALUE_CLASSES)


def _syntax_problem(text: str, message: str, name: str) -> SyntaxProblem:
    position = _POSITION.search(text)
    line, column = (int(position[1]), int(position[2]) + 1) if position else (1, 1)
    near = re.search(r"near '(.+?)'(?!')", text)
    place = f" near {near[1]}" if near else ""
    return SyntaxProblem(
        message,
        remedy=f"Spark SQL does not take this form{place}; write it in another one.",
        line=line,
        column=column,
        near=near[1] if near else "",
        spark_class=name,
    )


def _sentence(text: str, name: str) -> str:
    """The first line that belongs to the error class, without class, SQL state and position."""
    start = text.find(f"[{name}]") if name else 0
    line = next((part for part in text[max(start, 0) :].splitlines() if part.strip()), "Spark gave no reason.")
    line = _CLASS.sub("", line, count=1)
    line = re.sub(r"\s*SQLSTATE: ?\w+.*$", "", line)
    line = _FOREIGN_ADVICE.sub("", line)
    return _without_own_names(line).strip()


def _without_own_names(line: str) -> str:
    """Tables reach Spark under names of our own, and some columns come with them; people did not type them."""
    line = re.sub(r"`?_pyspark_connect_temp_view_\w+`?\.|`__lake_\w+`\.", "", line)
    suggested = re.search(r"\[(`[^\]]*`)\]", line)
    if suggested is None:
        return line
    kept = [name for name in suggested[1].split(", ") if "`__lake_" not in name]
    if kept:
        return line.replace(suggested[1], ", ".join(kept))
    return line.removesuffix(".").removesuffix(suggested[0]).removesuffix(" Did you mean one of the following? ")
