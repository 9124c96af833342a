"""The SQLAlchemy dialect: reflection, queries with values, inserts, pandas, and what it refuses by name."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import registry

from lakeui_client import Catalog
from lakeui_client.sqlalchemy import LakeDialect

registry.register("lakeui", "lakeui_client.sqlalchemy", "LakeDialect")

TABLE = sa.Table("t", sa.MetaData(), sa.Column("id", sa.Integer), sa.Column("v", sa.String))


@pytest.fixture
def engine(catalog: Catalog) -> Iterator[sa.Engine]:
    host, port = catalog.http.url.removeprefix("http://").split(":")
    url = sa.URL.create(
        "lakeui",
        password=catalog.http._token,
        host=host,
        port=int(port),
        database=catalog.name,
        query={"branch": "main"},
    )
    made = sa.create_engine(url)
    yield made
    made.dispose()


def test_tables_and_columns_are_reflected(engine: sa.Engine, catalog: Catalog) -> None:
    catalog.branch("main").sql(
        "CREATE TABLE d.v (a BIGINT NOT NULL, b DECIMAL(7,2), c VARCHAR(9), d TIMESTAMP, e STRING COMMENT 'x',"
        " f ARRAY<INT>, PRIMARY KEY (a))"
    )
    seen = sa.inspect(engine)
    assert (seen.get_schema_names(), seen.get_table_names("d")) == (["d"], ["t", "v"])
    table = sa.Table("v", sa.MetaData(), schema="d", autoload_with=engine)
    assert [column.name for column in table.primary_key] == ["a"]
    assert [str(column.type) for column in table.columns] == [
        "BIGINT",
        "DECIMAL(7, 2)",
        "VARCHAR(9)",
        "TIMESTAMP",
        "TEXT",
        "NULL",
    ]
    assert (table.c.a.nullable, table.c.b.nullable, table.c.e.comment) == (False, True, "x")
    assert (seen.has_table("v", "d"), seen.has_table("none", "d")) == (True, False)


def test_statements_of_its_expressions_run(engine: sa.Engine) -> None:
    table = sa.Table("t", sa.MetaData(), schema="d", autoload_with=engine)
    with engine.begin() as connection:
        connection.execute(table.insert(), [{"id": 3, "name": "it's"}, {"id": 4, "name": None}])
        connection.execute(table.update().where(table.c.id == 1).values(name="z"))
    with engine.connect() as connection:
        query = sa.select(table.c.id, table.c.name).where(table.c.id.in_([1, 3, 4])).order_by(table.c.id.desc())
        assert [tuple(row) for row in connection.execute(query.limit(2).offset(1))] == [(3, "it's"), (1, "z")]
        found = connection.execute(sa.text("SELECT count(*) FROM d.t WHERE name = :name"), {"name": "it's"})
        assert found.scalar_one() == 1


def test_what_is_not_committed_is_not_there(engine: sa.Engine) -> None:
    with engine.connect() as connection:
        connection.execute(sa.text("DELETE FROM d.t"))
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM d.t")).scalar_one() == 2


def test_tables_are_made_of_its_types(engine: sa.Engine) -> None:
    kinds = {
        "id": (sa.Integer(), "INTEGER"),
        "name": (sa.String(), "TEXT"),
        "code": (sa.String(3), "VARCHAR(3)"),
        "price": (sa.Numeric(9, 2), "DECIMAL(9, 2)"),
        "day": (sa.Date(), "DATE"),
        "at": (sa.DateTime(timezone=True), "TIMESTAMP"),
        "share": (sa.Float(), "DOUBLE"),
        "is_new": (sa.Boolean(), "BOOLEAN"),
        "raw": (sa.LargeBinary(), "BLOB"),
        "big": (sa.BigInteger(), "BIGINT"),
    }
    columns = [
        sa.Column(name, kind, primary_key=name == "id", autoincrement=False) for name, (kind, _) in kinds.items()
    ]
    with engine.begin() as connection:
        sa.Table("made", sa.MetaData(), *columns, schema="d").create(connection)
    found = sa.Table("made", sa.MetaData(), schema="d", autoload_with=engine)
    assert {column.name: str(column.type) for column in found.columns} == {
        name: text for name, (_, text) in kinds.items()
    }
    assert [column.name for column in found.primary_key] == ["id"]
    with engine.begin() as connection:
        found.drop(connection)
    assert not sa.inspect(engine).has_table("made", "d")


def test_pandas_reads_a_query(engine: sa.Engine) -> None:
    with engine.connect() as connection:
        found = pd.read_sql(
            sa.text("SELECT id, name FROM d.t WHERE id > :least ORDER BY id"), connection, params={"least": 1}
        )
    assert found.to_dict("records") == [{"id": 2, "name": "b"}]


def test_an_unsupported_feature_is_refused_by_name(engine: sa.Engine) -> None:
    metadata = sa.MetaData()
    table = sa.Table("x", metadata, sa.Column("id", sa.Integer, unique=True), schema="d")
    with engine.connect() as connection, pytest.raises(sa.exc.CompileError, match="unique"):
        table.create(connection)
    with pytest.raises(sa.exc.ArgumentError, match="brnach"):
        sa.create_engine("lakeui://:t@h/c?brnach=x").connect()
    with engine.connect() as connection, pytest.raises(sa.exc.ProgrammingError, match="NOT_FOUND"):
        connection.execute(sa.text("SELECT * FROM d.none"))


def test_values_that_stand_in_the_text_are_escaped() -> None:
    compiled = (
        sa.select(TABLE.c.id)
        .where(TABLE.c.v == "\\' OR 1=1 --")
        .compile(dialect=LakeDialect(), compile_kwargs={"literal_binds": True})
    )
    assert str(compiled).endswith("= '\\\\'' OR 1=1 --'")


def test_a_quotient_of_whole_numbers_is_whole() -> None:
    assert "FLOOR(`t`.`id` / ?)" in str(sa.select(TABLE.c.id // 2).compile(dialect=LakeDialect()))
