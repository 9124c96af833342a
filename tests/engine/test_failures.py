"""What people read of Spark's errors."""

from __future__ import annotations

import pytest

from catalog_app.engine.failures import is_lost, translate
from lakeui.common.errors import EngineError, EngineLost, InvalidValue

CHECK = "Check the name, and the table that it stands behind."
ADVICE = [
    (
        "CAST_INVALID_INPUT",
        """The value 'a "b"' of the type "STRING" cannot be cast to "INT" because it is malformed.""",
        """'a "b"' is not an INT.""",
        "Correct the value, or write try_cast(.. AS INT), which gives NULL for it.",
    ),
    (
        "CAST_OVERFLOW",
        'The value 1000 of the type "INT" cannot be cast to "TINYINT" due to an overflow. Use `try_cast` ..',
        "1000 does not fit into TINYINT.",
        "Use a wider type, or write try_cast(.. AS TINYINT), which gives NULL for it.",
    ),
    (
        "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
        "123.4 cannot be represented as Decimal(4, 2).",
        "123.4 does not fit into DECIMAL(4,2).",
        "Use a wider type, or write try_cast(.. AS DECIMAL(4,2)), which gives NULL for it.",
    ),
    (
        "ARITHMETIC_OVERFLOW",
        "integer overflow. Use 'try_add' to tolerate overflow and return NULL instead.",
        "The result of a computation does not fit into its type (integer overflow).",
        "Cast a value to a wider type, or write try_add, which gives NULL then.",
    ),
    (
        "DIVIDE_BY_ZERO",
        "Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead.",
        "Division by zero.",
        "Write try_divide(a, b), which gives NULL then.",
    ),
    (
        "INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE",
        "Invalid inline table. Found incompatible types in the column `col2` for inline table.",
        "The values of one column of VALUES have no type in common (col2).",
        "Cast them to one type, or insert the rows by several statements.",
    ),
    (
        "INVALID_INLINE_TABLE.FAILED_SQL_EXPRESSION_EVALUATION",
        'Invalid inline table. Failed to evaluate the SQL expression "map(a, 1, a, 2)". Please check your syntax.',
        "map(a, 1, a, 2) in VALUES cannot be computed.",
        "Correct the value; SELECT with the same value says what is wrong with it.",
    ),
    (
        "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
        "Decimal precision 40 exceeds max precision 38.",
        "Decimal precision 40 exceeds max precision 38.",
        "Give a number at most 38 digits, or write a DOUBLE, such as 1.5E40.",
    ),
    (
        "INVALID_ARRAY_INDEX",
        "The index 5 is out of bounds. The array has 2 elements. Use the SQL function `get()` to tolerate accessing"
        " element at invalid index and return NULL instead.",
        "The index 5 is out of bounds. The array has 2 elements.",
        "Write get(), which gives NULL then.",
    ),
    (
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "A column, variable, or function parameter with name `t`.`_row_id` cannot be resolved. Did you mean one of the"
        " following? [`t`.`id`]. SQLSTATE: 42703",
        "There is no column t._row_id here: a query has it of a table that it reads itself.",
        "Write SELECT t._row_id, t._commit_version, t._metadata.file_name FROM t; views have none of them.",
    ),
    (
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "A column, variable, or function parameter with name `_metadata`.`file_path` cannot be resolved. Did you mean"
        " one of the following? [`t`.`k`].",
        "There is no column _metadata.file_path here: a query has it of a table that it reads itself.",
        "Write SELECT t._row_id, t._commit_version, t._metadata.file_name FROM t; views have none of them.",
    ),
    (
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "A column, variable, or function parameter with name `t`.`x` cannot be resolved. Did you mean one of the"
        " following? [`t`.`k`, `s`.`__lake_number`].",
        "There is no column t.x.",
        "Did you mean t.k?",
    ),
    (
        "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION",
        "A column, variable, or function parameter with name `x` cannot be resolved.",
        "There is no column x.",
        "Check the name, and the table that it stands behind.",
    ),
    (
        "MISSING_GROUP_BY",
        "The query does not include a GROUP BY clause. Add GROUP BY or turn it into the window functions.",
        "The query does not include a GROUP BY clause.",
        "Add GROUP BY or turn it into the window functions.",
    ),
    ("SOMETHING_NEW", "This is wrong.", "This is wrong.", "Correct the statement where it says this."),
]


class AnalysisException(Exception):
    """PySpark's, by name."""


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (
            "`t`.`x` cannot be resolved. Did you mean one of the following? [`s`.`id`, `s`.`__lake_number`].",
            "[`s`.`id`].",
        ),
        ("`t`.`x` cannot be resolved. Did you mean one of the following? [`__lake_rule`, `id`].", "[`id`]."),
        ("`t`.`x` cannot be resolved. Did you mean one of the following? [`s`.`__lake_number`].", "be resolved."),
        ("`x` cannot be resolved. Did you mean one of the following? [`__lake_source`.`id`].", "[`id`]."),
        ("Column `_pyspark_connect_temp_view_1a`.`id` is one.", "Column `id` is one."),
    ],
)
def test_names_of_our_own_are_not_among_them(said: str, read: str) -> None:
    error = translate(AnalysisException(f"[UNRESOLVED_COLUMN.WITH_SUGGESTION] {said} SQLSTATE: 42703"))
    assert f"{error.message} {error.remedy}".removesuffix(f" {CHECK}").endswith(read)
    assert error.code == "INVALID_VALUE"
    assert "__lake" not in error.message


@pytest.mark.parametrize(("kind", "said", "message", "remedy"), ADVICE)
def test_what_spark_says_has_a_way_out(kind: str, said: str, message: str, remedy: str) -> None:
    error = translate(AnalysisException(f"[{kind}] {said} SQLSTATE: 22018\n== SQL (line 1, position 8) ==\nx"))
    assert (error.message, error.remedy) == (message, remedy)
    assert error.code == "INVALID_VALUE"


def test_a_repeated_struct_name_is_the_users_mistake() -> None:
    error = translate(RuntimeError("Duplicated field names in Arrow Struct are not allowed, got ['a', 'a']"))
    assert (error.code, error.message) == (
        "INVALID_VALUE",
        "A struct of the answer has two fields of one name, among 'a', 'a'.",
    )


def test_quoted_text_that_spark_cannot_read_is_named() -> None:
    raised = type("ParseException", (Exception,), {})
    error = translate(raised("[PARSE_SYNTAX_ERROR] Syntax error at or near ''a''. SQLSTATE: 42601 (line 1, pos 9)"))
    assert error.details["near"] == "'a'"


def test_incompatible_values_are_no_syntax_error() -> None:
    base = type("AnalysisException", (Exception,), {})
    raised = type("ParseException", (base,), {})
    said = "Invalid inline table. Found incompatible types in the column `col2` for inline table."
    error = translate(raised(f"[INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE] {said} SQLSTATE: 42000"))
    assert (error.code, error.message) == (
        "INVALID_VALUE",
        "The values of one column of VALUES have no type in common (col2).",
    )


def test_a_form_spark_cannot_read_has_a_remedy() -> None:
    raised = type("ParseException", (Exception,), {})
    error = translate(raised("[PARSE_SYNTAX_ERROR] Syntax error at or near 'BY'. SQLSTATE: 42601 (line 1, pos 9)"))
    problem = error.as_problem()
    assert (problem["code"], problem["near"]) == ("SYNTAX_ERROR", "BY")
    assert problem["remedy"] == "Spark SQL does not take this form near BY; write it in another one."


def computed(text: str, parameters: dict[str, str]) -> Exception:
    """PySpark's error about a part of a statement."""
    # Workers that do not run this test load no PySpark.
    from pyspark.errors.exceptions import connect
    from pyspark.sql.connect.proto.base_pb2 import FetchErrorDetailsResponse

    context = connect.SQLQueryContext(FetchErrorDetailsResponse.QueryContext(fragment=text))
    said = "[DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012"
    return connect.AnalysisException(said, "DIVIDE_BY_ZERO", parameters, contexts=[context])


@pytest.mark.parametrize(
    ("text", "parameters", "fragments"),
    [
        ("CAST(`a` AS INT)", {}, ("CAST(`a` AS INT)",)),
        (
            "CAST(s1 AS decimal(10,2))",
            {"expression": "'abc'"},
            ("CAST(s1 AS decimal(10,2))", "CAST(.. AS decimal(10,2))", "'abc'"),
        ),
        ("CAST((`s`.`a` / 0\n) AS int)", {}, ("CAST((`s`.`a` / 0\n) AS int)", "`s`.`a` / 0")),
        ("VALUES (CAST('x' AS INT))", {"sqlExpr": '"CAST(x AS INT)"'}, ("CAST(x AS INT)", "VALUES (CAST('x' AS INT))")),
    ],
)
def test_what_could_not_be_computed_stays_known(
    text: str, parameters: dict[str, str], fragments: tuple[str, ...]
) -> None:
    error = translate(computed(text, parameters))
    assert isinstance(error, InvalidValue)
    assert error.fragments == fragments
    assert "fragments" not in error.as_problem()


def test_query_whose_tasks_ended_too_often_is_lost() -> None:
    said = (
        "Job aborted due to stage failure: Task 0 in stage 7.0 failed 3 times, most recent failure: Lost task 0.2 in"
        " stage 7.0 (TID 90) (127.0.0.1 executor 3): ExecutorLostFailure (executor 3 exited caused by one of the"
        " running tasks) Reason: Command exited with code 50"
    )
    assert isinstance(translate(RuntimeError(said)), EngineLost)


ABORTED = "Job aborted due to stage failure: Task 0 in stage 3.0 failed 1 times: Lost task 0.0: org.apache.spark."
RAISED = f"{ABORTED}api.python.PythonException: Traceback (most recent call last):\n  File 'w.py', line 1\n"
NO_MODULE = "Error while finding module specification for 'pyspark.daemon' (No module named 'pyspark')"
BUSY = "When completing upload: AWS Error SERVICE_UNAVAILABLE: Reduce your rate"
NO_ARROW = "PyArrow >= 18.0.0 must be installed; however, it was not found."
IMPORT_ERROR = "pyspark.errors.exceptions.base.PySparkImportError: [PACKAGE_NOT_INSTALLED]"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (f"{ABORTED}Error: \nError from python worker:\n  /usr/bin/python3: {NO_MODULE}\nPYTHONPATH was:\n", NO_MODULE),
        (f"{RAISED}OSError: {BUSY}\n\n\tat org.apache.X", BUSY),
        (f"{RAISED}{IMPORT_ERROR} {NO_ARROW}\n\tat org.apache.X\nCaused by: java.lang.Error: none", NO_ARROW),
    ],
)
def test_tasks_whose_python_failed(said: str, expected: str) -> None:
    """The server is there: the work is not done again as if it were lost."""
    error = translate(RuntimeError(said))
    assert isinstance(error, EngineError)
    assert error.message == f"Python failed in a task of Spark: {expected}"
    assert "the Spark for queries" in error.remedy
    assert "docs/howto/cluster.md" in error.remedy
    assert not is_lost(RuntimeError(said))
