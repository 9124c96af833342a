"""What people read of Spark's errors."""

from __future__ import annotations

import pytest

from catalog_app.engine.failures import translate


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
    assert error.message.endswith(read)
    assert error.code == "INVALID_VALUE"
    assert "__lake" not in error.message


def test_a_struct_with_a_name_twice_is_the_mistake_of_who_asks() -> None:
    error = translate(RuntimeError("Duplicated field names in Arrow Struct are not allowed, got ['a', 'a']"))
    assert (error.code, error.message) == (
        "INVALID_VALUE",
        "A struct of the answer has two fields of one name, among 'a', 'a'.",
    )
