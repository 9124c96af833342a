"""An SQLAlchemy dialect over the DB-API driver: ``create_engine("lakeui://:TOKEN@127.0.0.1:8000/demo?branch=main")``.

``lakeui+https://`` speaks TLS. Schemas are databases of the branch. What it writes is Spark SQL. Some names stand here
twice: SQLAlchemy 1.4, which Superset takes, has other names for them than 2.
"""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

from sqlalchemy import exc, func, types
from sqlalchemy.engine import URL, Connection, Dialect, default
from sqlalchemy.sql import compiler

from lakeui_client import dbapi
from lakeui_client.errors import NotFound
from lakeui_client.http import segment

_TYPES: dict[str, type[types.TypeEngine[Any]]] = {
    "boolean": types.BOOLEAN,
    "tinyint": types.SMALLINT,
    "smallint": types.SMALLINT,
    "int": types.INTEGER,
    "bigint": types.BIGINT,
    "float": types.REAL,
    "double": getattr(types, "DOUBLE", types.FLOAT),
    "string": types.TEXT,
    "binary": types.LargeBinary,
    "date": types.DATE,
}
_WITH_NUMBERS = re.compile(r"(decimal|char|varchar)\((\d+)(?:,(\d+))?\)")


def type_of(spark_type: str) -> types.TypeEngine[Any]:
    """What SQLAlchemy calls a type of Spark SQL; of nested ones NullType: their values come as they are."""
    kind = spark_type.lower().replace(" ", "")
    if kind in _TYPES:
        return _TYPES[kind]()
    if kind in ("timestamp", "timestamp_ntz"):
        return types.TIMESTAMP(timezone=kind == "timestamp")
    if found := _WITH_NUMBERS.fullmatch(kind):
        first = int(found[2])
        if found[1] == "decimal":
            return types.DECIMAL(first, int(found[3] or 0))
        return types.CHAR(first) if found[1] == "char" else types.VARCHAR(first)
    return types.NullType()


class LakeBinary(types.LargeBinary):
    """Bytes are sent as the text of their digits: JSON has none, and parameters no type for them."""

    def bind_processor(self, dialect: Dialect) -> Any:
        return lambda value: None if value is None else bytes(value).hex()

    def bind_expression(self, bindvalue: Any) -> Any:
        return func.unhex(bindvalue, type_=self)

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        return None


class LakePreparer(compiler.IdentifierPreparer):
    """Names in backticks, always: words that Spark keeps for itself are many."""

    def __init__(self, dialect: Dialect, **given: Any) -> None:
        super().__init__(dialect, initial_quote="`", escape_quote="`", **given)

    def _requires_quotes(self, value: str) -> bool:
        return True


class LakeTypeCompiler(compiler.GenericTypeCompiler):
    def _text(self, type_: Any, **kw: Any) -> str:
        return "STRING"

    visit_TEXT = visit_CLOB = visit_text = visit_unicode_text = visit_UUID = _text

    def visit_string(self, type_: types.String, **kw: Any) -> str:
        return f"VARCHAR({type_.length})" if type_.length else "STRING"

    visit_VARCHAR = visit_NVARCHAR = visit_unicode = visit_string

    def visit_INTEGER(self, type_: Any, **kw: Any) -> str:
        return "INT"

    def visit_large_binary(self, type_: Any, **kw: Any) -> str:
        return "BINARY"

    def visit_FLOAT(self, type_: Any, **kw: Any) -> str:
        return "DOUBLE"

    def visit_REAL(self, type_: Any, **kw: Any) -> str:
        return "FLOAT"

    def visit_NUMERIC(self, type_: types.Numeric[Any], **kw: Any) -> str:
        return f"DECIMAL({type_.precision or 38},{type_.scale if type_.scale is not None else 18})"

    visit_DECIMAL = visit_NUMERIC

    def visit_datetime(self, type_: types.DateTime, **kw: Any) -> str:
        return "TIMESTAMP" if type_.timezone else "TIMESTAMP_NTZ"

    visit_DATETIME = visit_TIMESTAMP = visit_datetime


class LakeCompiler(compiler.SQLCompiler):
    def render_literal_value(self, value: Any, type_: Any) -> str:
        """A backslash begins an escape in the server's texts."""
        return super().render_literal_value(value, type_).replace("\\", "\\\\")

    def limit_clause(self, select: Any, **kw: Any) -> str:
        text = ""
        if select._limit_clause is not None:
            text += f"\n LIMIT {self.process(select._limit_clause, **kw)}"
        if select._offset_clause is not None:
            text += f"\n OFFSET {self.process(select._offset_clause, **kw)}"
        return text


class LakeDDLCompiler(compiler.DDLCompiler):
    def visit_foreign_key_constraint(self, constraint: Any, **kw: Any) -> str:
        raise exc.CompileError("A lake has no foreign keys.")

    def visit_unique_constraint(self, constraint: Any, **kw: Any) -> str:
        raise exc.CompileError("A lake has no unique constraints but primary keys.")

    def visit_create_index(self, create: Any, *given: Any, **kw: Any) -> str:
        raise exc.CompileError("A lake has no indexes.")


class LakeDialect(default.DefaultDialect):
    name = "lakeui"
    driver = "http"
    scheme = "http"
    default_paramstyle = "qmark"
    statement_compiler = LakeCompiler
    ddl_compiler = LakeDDLCompiler
    type_compiler_cls = type_compiler = LakeTypeCompiler
    preparer: type[compiler.IdentifierPreparer] = LakePreparer
    colspecs: dict[type[types.TypeEngine[Any]], type[types.TypeEngine[Any]]] = {types.LargeBinary: LakeBinary}
    supports_statement_cache = True
    div_is_floordiv = False
    supports_native_boolean = True
    supports_native_decimal = True
    supports_alter = False
    supports_sane_multi_rowcount = False
    supports_multivalues_insert = True
    # Many rows are one INSERT, not one each. The server takes 10,000 values a statement.
    use_insertmanyvalues = use_insertmanyvalues_wo_returning = True
    insertmanyvalues_max_parameters = 10_000
    supports_default_values = False
    supports_sequences = False
    insert_returning = update_returning = delete_returning = False
    postfetch_lastrowid = False
    requires_name_normalize = False
    default_schema_name = "default"

    @classmethod
    def import_dbapi(cls) -> ModuleType:
        return dbapi

    @classmethod
    def dbapi(cls) -> ModuleType:  # type: ignore[override]  # 1.4's name; the instance has the module by it
        return dbapi

    def create_connect_args(self, url: URL) -> tuple[list[Any], dict[str, Any]]:
        unknown = set(url.query) - {"branch", "database"}
        if unknown:
            raise exc.ArgumentError(f"There is no parameter {min(unknown)} here. Known are branch and database.")
        if not url.database:
            raise exc.ArgumentError("The address names no catalog: lakeui://:TOKEN@HOST:PORT/CATALOG")
        port = f":{url.port}" if url.port else ""
        given = {
            "url": f"{self.scheme}://{url.host or '127.0.0.1'}{port}",
            "token": url.password,
            "catalog": url.database,
            **{name: str(value) for name, value in url.query.items()},
        }
        return [], given

    def initialize(self, connection: Connection) -> None:
        """Nothing is asked of the server: what it can is known."""

    def do_ping(self, dbapi_connection: Any) -> bool:
        dbapi_connection.ping()
        return True

    def is_disconnect(self, e: Any, connection: Any, cursor: Any) -> bool:
        if not isinstance(e, dbapi.OperationalError):
            return False
        return e.problem.get("code") == "CONNECTION_FAILED" or dbapi.is_session_gone(e.problem)

    # -- what is there ------------------------------------------------------------------------------------------------

    def _place(self, connection: Connection, schema: str | None) -> tuple[Any, str]:
        """The driver's connection, and the address of the database."""
        found: Any = connection.connection.dbapi_connection
        database = schema or found.database
        if not database:
            raise exc.InvalidRequestError("Say which database: schema=…, or ?database=… in the address.")
        return found, f"{found.branch.path}databases/{segment(database)}/tables/"

    def get_schema_names(self, connection: Connection, **kw: Any) -> list[str]:
        found: Any = connection.connection.dbapi_connection
        return [entry["name"] for entry in found.branch.http.pages(f"{found.branch.path}databases/")]

    def get_table_names(self, connection: Connection, schema: str | None = None, **kw: Any) -> list[str]:
        found, address = self._place(connection, schema)
        return [entry["name"] for entry in found.branch.http.pages(address)]

    def get_view_names(self, connection: Connection, schema: str | None = None, **kw: Any) -> list[str]:
        return []

    def has_table(self, connection: Connection, table_name: str, schema: str | None = None, **kw: Any) -> bool:
        try:
            self._table(connection, table_name, schema)
        except exc.NoSuchTableError:
            return False
        return True

    def _table(self, connection: Connection, name: str, schema: str | None) -> dict[str, Any]:
        found, address = self._place(connection, schema)
        try:
            table: dict[str, Any] = found.branch.http.get(f"{address}{segment(name)}/")
        except NotFound:
            raise exc.NoSuchTableError(name) from None
        return table

    def get_columns(self, connection: Connection, table_name: str, schema: str | None = None, **kw: Any) -> list[Any]:
        return [
            {
                "name": column["name"],
                "type": type_of(column["type"]),
                "nullable": column["nullable"],
                "default": column["default"],
                "comment": column["comment"],
            }
            for column in self._table(connection, table_name, schema)["columns"]
        ]

    def get_pk_constraint(self, connection: Connection, table_name: str, schema: str | None = None, **kw: Any) -> Any:
        return {"name": None, "constrained_columns": self._table(connection, table_name, schema)["primary_key"]}

    def get_table_comment(self, connection: Connection, table_name: str, schema: str | None = None, **kw: Any) -> Any:
        return {"text": self._table(connection, table_name, schema)["comment"] or None}

    def get_check_constraints(
        self, connection: Connection, table_name: str, schema: str | None = None, **kw: Any
    ) -> list[Any]:
        found = self._table(connection, table_name, schema)["constraints"]
        return [{"name": name, "sqltext": text} for name, text in found.items()]

    def get_foreign_keys(self, *given: Any, **kw: Any) -> list[Any]:
        return []

    def get_indexes(self, *given: Any, **kw: Any) -> list[Any]:
        return []

    def get_unique_constraints(self, *given: Any, **kw: Any) -> list[Any]:
        return []


class SecureLakeDialect(LakeDialect):
    driver = "https"
    scheme = "https"
    supports_statement_cache = True
