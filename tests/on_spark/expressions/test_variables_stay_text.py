"""Settings and environment of the Spark server are no part of what SQL reaches, by whatever name."""

from __future__ import annotations

from tests.support.lake import Lake

VARIABLES = ("${env:PATH}", "${system:user.name}", "${spark.sql.ansi.enabled}", "${sparkconf:spark.app.name:-x}")


def test_variables_of_the_server_stay_text(lake: Lake) -> None:
    text = " ".join(VARIABLES)
    lake.sql("CREATE TABLE d.t (v STRING)")
    lake.sql(f"INSERT INTO d.t SELECT '{text}'")
    lake.sql(f"UPDATE d.t SET v = concat(v, '{text}') WHERE v = '{text}'")
    assert lake.rows("d.t") == [(text + text,)]
    found = lake.sql(f"SELECT 1 AS `{text}`, /* {text} */ '{text}' AS b")
    assert ([name for name, _ in found.columns], found.rows) == ([text, "b"], [[1, text]])
