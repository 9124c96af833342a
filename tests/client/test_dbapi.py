"""The DB-API driver: what PEP 249 says, and transactions that are commits of a branch."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from decimal import Decimal

import pytest

from lakeui_client import Catalog, dbapi
from lakeui_client.dbapi_values import rows_read


@pytest.fixture
def connection(catalog: Catalog) -> Iterator[dbapi.Connection]:
    made = dbapi.connect(catalog.http.url, catalog.http._token, catalog=catalog.name)
    yield made
    made.close()


def test_the_module_says_what_pep_249_asks() -> None:
    assert (dbapi.apilevel, dbapi.paramstyle, dbapi.threadsafety) == ("2.0", "qmark", 1)
    for name in ("Warning", "InterfaceError", "DataError", "IntegrityError", "ProgrammingError", "NotSupportedError"):
        assert issubclass(getattr(dbapi, name), Exception)
        assert getattr(dbapi.Connection, name) is getattr(dbapi, name)
    assert dbapi.NUMBER == "bigint"
    assert dbapi.NUMBER == "decimal(5,2)"
    assert dbapi.STRING != "bigint"


def test_values_of_json_become_those_of_python() -> None:
    moment = datetime.datetime(2026, 1, 31, 10, 0, 0, 5, tzinfo=datetime.UTC)
    values = {
        "decimal(5,2)": ("1.50", Decimal("1.50")),
        "date": ("2026-01-31", datetime.date(2026, 1, 31)),
        "timestamp": ("2026-01-31T10:00:00.000005Z", moment),
        "timestamp_ntz": ("2026-01-31T10:00:00.000005", moment.replace(tzinfo=None)),
        "double": ("NaN", float("nan")),
        "binary": ("YQ==", b"a"),
        "array<int>": ([1], [1]),
        "boolean": (True, True),
    }
    columns = [(kind, kind) for kind in values]
    rows = [tuple(sent for sent, _ in values.values()), (None,) * len(values)]
    first, second = rows_read(columns, rows)
    assert repr(first) == repr(tuple(meant for _, meant in values.values()))
    assert second == (None,) * len(values)
    far = ("+12026-01-31T10:00:00Z",)
    assert list(rows_read([("t", "timestamp")], [far])) == [far]


def test_parameters_are_values(connection: dbapi.Connection) -> None:
    cursor = connection.cursor()
    cursor.execute("INSERT INTO d.t VALUES (?, ?)", (3, "it's ?"))
    cursor.execute("INSERT INTO d.t (id) VALUES (:i)", {"i": 4})
    connection.commit()
    cursor.execute("SELECT * FROM d.t WHERE id > ? ORDER BY id", (2,))
    assert [entry[:2] for entry in cursor.description or ()] == [("id", "int"), ("name", "string")]
    assert list(cursor) == [(3, "it's ?"), (4, None)]


def test_rows_are_fetched_singly_and_in_batches(connection: dbapi.Connection) -> None:
    cursor = connection.cursor().execute("SELECT id FROM d.t ORDER BY id")
    assert (cursor.rowcount, cursor.fetchone(), cursor.fetchmany(5), cursor.fetchone()) == (2, (1,), [(2,)], None)
    with pytest.raises(dbapi.ProgrammingError):
        connection.cursor().fetchall()
    cursor.close()
    with pytest.raises(dbapi.InterfaceError):
        cursor.execute("SELECT 1")


def test_what_is_written_is_one_commit(connection: dbapi.Connection, catalog: Catalog) -> None:
    before = catalog.branch("main").get()["head_version"]
    cursor = connection.cursor()
    cursor.executemany("INSERT INTO d.t VALUES (?, ?)", [(3, "c"), (4, "d")])
    assert cursor.rowcount == 1
    assert cursor.execute("SELECT count(*) FROM d.t").fetchone() == (4,)
    assert catalog.branch("main").sql("SELECT count(*) FROM d.t").rows == [(2,)]
    connection.commit()
    log = catalog.branch("main").log(2)
    assert (log[0]["operation"], log[1]["version"]) == ("TRANSACTION", before)
    assert catalog.branch("main").sql("SELECT count(*) FROM d.t").rows == [(4,)]


def test_rolled_back_or_abandoned_changes_are_not_there(connection: dbapi.Connection, catalog: Catalog) -> None:
    connection.cursor().execute("DELETE FROM d.t")
    connection.rollback()
    with pytest.raises(ZeroDivisionError), connection as opened:
        _ = opened.cursor().execute("DELETE FROM d.t").rowcount / 0
    connection.cursor().execute("DELETE FROM d.t")
    connection.close()
    assert catalog.branch("main").sql("SELECT count(*) FROM d.t").rows == [(2,)]
    with pytest.raises(dbapi.InterfaceError):
        connection.cursor()


def test_a_connection_is_a_session(connection: dbapi.Connection, catalog: Catalog) -> None:
    catalog.branch("b", from_="main")
    cursor = connection.cursor()
    cursor.execute("USE BRANCH b")
    cursor.execute("USE DATABASE d")
    assert (connection.branch.name, connection.database) == ("b", "d")
    cursor.execute("CREATE TEMP VIEW v AS SELECT id + 1 AS n FROM d.t")
    cursor.execute("CREATE TEMPORARY FUNCTION twice(x INT) RETURNS INT RETURN x * 2")
    assert cursor.execute("SELECT twice(n) FROM v ORDER BY n").fetchall() == [(4,), (6,)]
    cursor.execute("DELETE FROM t WHERE id = 1")
    assert cursor.execute("SELECT n FROM v").fetchall() == [(3,)]
    connection.rollback()
    assert cursor.execute("SELECT count(*) FROM t").fetchone() == (2,)
    cursor.execute("DELETE FROM t")
    connection.commit()
    assert [catalog.branch(name).sql("SELECT count(*) FROM d.t").rows for name in ("main", "b")] == [[(2,)], [(0,)]]
    assert len(catalog.http.pages("/api/v1/sessions/")) == 1
    connection.close()
    assert catalog.http.pages("/api/v1/sessions/") == []


def test_transactions_may_be_said_as_statements(catalog: Catalog) -> None:
    made = dbapi.connect(catalog.http.url, catalog.http._token, catalog=catalog.name, autocommit=True)
    cursor = made.cursor()
    for statement in ("BEGIN", "DELETE FROM d.t", "ROLLBACK", "BEGIN", "DELETE FROM d.t WHERE id = 1", "COMMIT"):
        cursor.execute(statement)
    made.commit()
    assert cursor.execute("SELECT id FROM d.t").fetchall() == [(2,)]
    made.close()


def test_a_commit_that_is_refused_is_rolled_back(connection: dbapi.Connection, catalog: Catalog) -> None:
    cursor = connection.cursor()
    cursor.execute("UPDATE d.t SET name = 'x' WHERE id = 1")
    catalog.branch("main").sql("UPDATE d.t SET name = 'y' WHERE id = 1")
    with pytest.raises(dbapi.OperationalError):
        connection.commit()
    connection.commit()
    cursor.execute("UPDATE d.t SET name = 'z' WHERE id = 2")
    connection.commit()
    assert catalog.branch("main").sql("SELECT name FROM d.t ORDER BY id").rows == [("y",), ("z",)]


def test_an_ended_session_is_a_lost_connection(connection: dbapi.Connection, catalog: Catalog) -> None:
    cursor = connection.cursor()
    cursor.execute("SELECT 1")
    connection.ping()
    (entry,) = catalog.http.pages("/api/v1/sessions/")
    catalog.http.write("DELETE", entry["url"], has_key=False)
    with pytest.raises(dbapi.OperationalError) as gone:
        cursor.execute("SELECT 1")
    assert dbapi.is_session_gone(gone.value.problem)
    with pytest.raises(dbapi.OperationalError):
        connection.ping()


def test_refusals_have_their_class_and_the_problem(connection: dbapi.Connection) -> None:
    with pytest.raises(dbapi.IntegrityError) as twice:
        connection.cursor().execute("INSERT INTO d.t VALUES (1, 'again')")
    assert twice.value.problem["code"] == "DUPLICATE_KEY"
    connection.rollback()
    with pytest.raises(dbapi.ProgrammingError, match="SYNTAX_ERROR"):
        connection.cursor().execute("SELEC 1")
    with pytest.raises(dbapi.OperationalError, match="UNAUTHENTICATED"):
        dbapi.connect(connection.branch.http.url, "x", catalog="c").cursor().execute("SHOW TAGS")
