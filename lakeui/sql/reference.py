"""The reference page of SQL, made of the grammar: ``python -m lakeui.sql.reference > docs/reference/statements.md``.

Statements and examples are data (``reference.toml``); what is refused says the parser itself.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from lakeui.common.errors import LakeError
from lakeui.sql.allowlist import function_names
from lakeui.sql.parse import parse
from lakeui.sql.unsupported import FORBIDDEN, UNSUPPORTED, UNSUPPORTED_CHANGES

REFUSED = (
    "CREATE TABLE d.t (e TIMESTAMP) PARTITIONED BY (weeks(e))",
    "CREATE TABLE d.t (id INT) CLUSTERED BY (id) INTO 4 BUCKETS",
    "ALTER TABLE d.t ADD PARTITION FIELD id",
    "ALTER TABLE d.t ADD PARTITION FIELD bucket(4, id) AS b",
    "ALTER TABLE d.t ADD COLUMN n BIGINT GENERATED ALWAYS AS IDENTITY",
    "CREATE TABLE d.t (id INT, CHECK (id > 0) NOT ENFORCED)",
    "CREATE TABLE d.t (id INT, FOREIGN KEY (id) REFERENCES d.u (id))",
    "CREATE TABLE d.t (id INT, UNIQUE (id))",
    "CREATE TABLE d.t (v VARIANT)",
    "CREATE TABLE d.t (id INT) USING CSV",
    "CREATE TABLE d.t (id INT) LOCATION '/x'",
    "CREATE TABLE d.t DEEP CLONE d.u",
    "CREATE OR REPLACE TABLE d.t CLONE d.u",
    "CREATE OR REPLACE TABLE d.t LIKE d.u",
    "CREATE VIEW d.v WITH SCHEMA BINDING AS SELECT 1",
    "CREATE MATERIALIZED VIEW d.v SCHEDULE CRON '0 6 * * *' AT TIME ZONE 'Europe/Berlin' AS SELECT 1 AS a",
    "REFRESH MATERIALIZED VIEW d.v",
    "ALTER MATERIALIZED VIEW d.v ADD SCHEDULE CRON '0 6 * * *'",
    "DROP MATERIALIZED VIEW d.v",
    "SHOW MATERIALIZED VIEWS IN d",
    "ALTER TABLE d.t REPLACE COLUMNS (a INT FIRST)",
    "ALTER TABLE d.t ADD COLUMN a INT CHECK (a > 0)",
    "ALTER TABLE d.t CHANGE COLUMN a b INT",
    "ALTER TABLE d.t ADD PRIMARY KEY (id)",
    "ALTER TABLE d.t SET LOCATION '/x'",
    "EXPLAIN COST SELECT 1",
    "EXPLAIN ANALYZE DROP TABLE d.t",
    "MERGE INTO d.t USING d.s USING (id) WHEN MATCHED THEN DELETE RETURNING id + 1",
    "CREATE TABLE d.t (s STRING COLLATE UTF8_LCASE)",
    "ALTER TABLE d.t CLUSTER BY AUTO",
    "OPTIMIZE d.t FULL",
    "DESCRIBE d.t AS JSON",
    "SHOW CREATE TABLE d.t AS SERDE",
    "INSERT INTO d.t VALUES (1) RETURNING id",
    "INSERT INTO d.t VALUES (1) ON CONFLICT DO NOTHING",
    "DELETE FROM d.t USING d.u WHERE t.id = u.id",
    "DELETE FROM d.t LIMIT 5",
    "UPDATE d.t SET (a, b) = (1, 2)",
    "FROM d.t |> SET a = 1",
    "SELECT TOP 5 id FROM d.t",
    "SELECT * FROM d.t VERSION AS OF 'tag'",
    "SELECT * FROM parquet.`/x`",
    "SELECT reflect('a', 'b')",
    "SELECT current_user",
    "SELECT * FROM read_files('/x')",
    "SELECT 1; SELECT 2",
    "VACUUM d.t RETAIN 7 HOURS",
    "DELETE FROM d.t WHERE id > rand()",
)
"""Forms that people of Spark know, each of which the parser refuses."""


def reference_data() -> dict[str, Any]:
    return tomllib.loads((files("lakeui.sql") / "reference.toml").read_text(encoding="utf-8"))


def reference_page() -> str:
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# SQL reference"
    yield ""
    yield "`python -m lakeui.sql.reference` makes this page of the grammar. A test runs each example, section by"
    yield "section, on the tables that stand first. What the forms mean: [SQL](sql.md), [MERGE INTO](merge-into.md)"
    yield "and [merging](../internals/merge.md)."
    yield ""
    data = reference_data()
    yield "```sql"
    yield from (f"{text};" for text in data["setup"])
    yield "```"
    for section in data["section"]:
        yield from _section(section)
    yield from _refused()
    yield ""
    yield "## Functions"
    yield ""
    yield "A query may call these. Any other is refused by name: it could reach the host, or is none of Spark."
    yield ""
    yield from _wrapped(function_names())


def _section(section: dict[str, Any]) -> Iterator[str]:
    yield ""
    yield f"## {section['title']}"
    for statement in section["statement"]:
        yield ""
        yield from (f"- `{form}`" for form in statement["forms"])
        yield ""
        yield statement["does"]
        yield ""
        yield "```sql"
        yield from (f"{text};" for text in (*statement["examples"], *statement.get("parsed", ())))
        yield "```"


def _refused() -> Iterator[str]:
    yield ""
    yield "## Refused"
    yield ""
    yield "What the grammar does not know is a `SYNTAX_ERROR`. These forms of Spark are refused by name:"
    yield ""
    yield "| form | code | why | way out |"
    yield "|---|---|---|---|"
    for text in REFUSED:
        error = refusal(text)
        yield f"| {_code(text)} | `{error.code}` | {_cell(error.message)} | {_cell(error.remedy)} |"
    yield ""
    yield "Statements that begin like this are not there:"
    yield ""
    yield "| beginning | way out |"
    yield "|---|---|"
    yield from (f"| {_code(phrase)} | {_cell(remedy)} |" for phrase, remedy in UNSUPPORTED.items())
    changes = ((f"ALTER TABLE t {phrase}", remedy) for phrase, remedy in UNSUPPORTED_CHANGES.items())
    yield from (f"| {_code(phrase)} | {_cell(remedy)} |" for phrase, remedy in changes)
    yield ""
    yield "Statements that begin like this could reach the host or another system, or run a script, and are forbidden:"
    yield ""
    yield from _wrapped(list(FORBIDDEN))


def refusal(text: str) -> LakeError:
    """What the parser says of a form that it refuses."""
    try:
        parse(text)
    except LakeError as error:
        return error
    raise AssertionError(f"{text} is not refused")


def _code(text: str) -> str:
    return f"`` {text} ``".replace("|", "\\|") if "`" in text else f"`{text}`".replace("|", "\\|")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _wrapped(names: list[str]) -> Iterator[str]:
    line = ""
    for name in names:
        item = f"`{name}`"
        if line and len(line) + len(item) > 130:
            yield line + ","
            line = ""
        line = f"{line}, {item}" if line else item
    yield line


if __name__ == "__main__":
    import sys

    sys.stdout.write(reference_page())
