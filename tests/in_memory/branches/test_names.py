"""A name that looks like another one. ``tests/stories/names.toml`` has names in merges."""

from __future__ import annotations

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
