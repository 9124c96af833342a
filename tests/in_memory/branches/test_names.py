"""A name that looks like another one. ``tests/stories/names.toml`` has names in merges."""

from __future__ import annotations

import pytest

from catalog_app.models import Branch
from lakeui.common.errors import NotFound
from tests.support.lake import Lake


def test_a_name_that_looks_like_another_warns(lake: Lake) -> None:
    """Whichever of the two has a letter of another script. Two names of ASCII letters alone do not count."""
    other = "p\u0430y"
    lake.sql("CREATE BRANCH v1")
    assert "notices" not in lake.sql("CREATE BRANCH vl").extra
    assert "notices" not in lake.sql("CREATE BRANCH pay").extra
    assert lake.sql(f"CREATE TAG `{other}`").extra["notices"] == [f"{other} looks like pay, and is another name."]
    lake.sql("DROP BRANCH pay")
    assert lake.sql("CREATE BRANCH pay").extra["notices"] == [f"pay looks like {other}, and is another name."]
    lake.sql("DROP BRANCH pay")
    lake.sql(f"DROP TAG `{other}`")
    lake.sql(f"CREATE BRANCH `{other}`")
    assert lake.sql("CREATE TAG pay").extra["notices"] == [f"pay looks like {other}, and is another name."]


def test_an_old_name_of_a_branch_leads_on(lake: Lake) -> None:
    lake.sql("CREATE BRANCH draft")
    lake.sql("ALTER BRANCH draft RENAME TO carriers")
    lake.sql("ALTER BRANCH carriers RENAME TO airlines")
    for was in ("draft", "carriers"):
        with pytest.raises(NotFound) as refused:
            lake.sql(f"DROP BRANCH {was}")
        assert refused.value.details["renamed_to"] == refused.value.details["nearest"] == "airlines"
        assert f"There is no branch {was}" in str(refused.value)
        assert "it was renamed to airlines" in str(refused.value)
    lake.sql("CREATE BRANCH draft")
    lake.sql("DROP BRANCH draft")


def test_a_branch_keeps_its_last_names(lake: Lake) -> None:
    lake.sql("CREATE BRANCH n0")
    for number in range(25):
        lake.sql(f"ALTER BRANCH n{number} RENAME TO n{number + 1}")
    lake.sql("ALTER BRANCH n25 RENAME TO n24")
    assert Branch.objects.get(name="n24").former_names == [f"n{number}" for number in (*range(5, 24), 25)]
