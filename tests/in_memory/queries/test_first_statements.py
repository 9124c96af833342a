"""What people of Spark type first works as there, or is refused by name (``tests/sql/first_statements.toml``)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from lakeui.common.errors import LakeError
from tests.support.lake import Lake

_FILE = Path(__file__).parents[2] / "sql" / "first_statements.toml"
CASES: dict[str, Any] = tomllib.loads(_FILE.read_text(encoding="utf-8"))


def test_there_are_no_fewer_than_the_review_tried() -> None:
    assert len({case["sql"] for case in CASES["statement"]}) >= 51


@pytest.mark.parametrize("case", CASES["statement"], ids=lambda case: case["sql"])
def test_first_statement(lake: Lake, case: dict[str, Any]) -> None:
    for text in CASES["setup"]:
        lake.sql(text)
    if "refused" in case:
        head = lake.head()
        with pytest.raises(LakeError) as caught:
            lake.sql(case["sql"])
        assert caught.value.code == case["refused"]
        said = f"{caught.value.message} {caught.value.remedy}"
        assert all(word in said for word in case["words"])
        assert lake.head() == head
        return
    found = lake.sql(case["sql"])
    if "then" in case:
        found = lake.sql(case["then"])
    if "rows" in case:
        assert found.rows == case["rows"]
    else:
        assert case["has"] in [row[: len(case["has"])] for row in found.rows]
