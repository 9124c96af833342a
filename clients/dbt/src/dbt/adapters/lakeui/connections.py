"""Connections of dbt: each of its threads has one SQL session on the branch."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dbt.adapters.contracts.connection import AdapterResponse, Connection, ConnectionState, Credentials
from dbt.adapters.exceptions import FailedToConnectError
from dbt.adapters.sql import SQLConnectionManager
from dbt_common.exceptions import DbtConfigError, DbtDatabaseError

from lakeui_client import dbapi


@dataclass
class LakeuiCredentials(Credentials):
    """``schema`` is the database of models. Without ``url`` and ``token`` those of ``lake login`` hold."""

    database: str | None = None  # type: ignore[assignment]
    schema: str | None = None  # type: ignore[assignment]
    catalog: str = ""
    branch: str = "main"
    url: str | None = None
    token: str | None = None
    timeout: float = 3600.0

    def __post_init__(self) -> None:
        if not self.catalog or not self.schema:
            raise DbtConfigError("A profile of lakeui names a catalog and a schema, which is a database of it.")
        if self.database is not None and self.database != self.schema:
            raise DbtConfigError("A profile of lakeui has no database: name it as the schema.")
        self.database = None

    @property
    def type(self) -> str:
        return "lakeui"

    @property
    def unique_field(self) -> str:
        return self.url or ""

    def _connection_keys(self) -> tuple[str, ...]:
        return ("url", "catalog", "branch", "schema")


class LakeuiConnectionManager(SQLConnectionManager):
    """Every statement is a commit of its own: dbt begins no transactions."""

    TYPE = "lakeui"

    @contextlib.contextmanager
    def exception_handler(self, sql: str) -> Iterator[None]:
        try:
            yield
        except dbapi.Error as error:
            raise DbtDatabaseError(str(error)) from error

    @classmethod
    def open(cls, connection: Connection) -> Connection:
        if connection.state == ConnectionState.OPEN:
            return connection
        given = connection.credentials
        try:
            opened = dbapi.connect(
                given.url,
                given.token,
                catalog=given.catalog,
                branch=given.branch,
                autocommit=True,
                timeout=given.timeout,
            )
            opened.ping()
        except dbapi.Error as error:
            connection.handle, connection.state = None, ConnectionState.FAIL
            raise FailedToConnectError(str(error)) from error
        connection.handle, connection.state = opened, ConnectionState.OPEN
        return connection

    def cancel(self, connection: Connection) -> None:
        """End the session. A query stops when its client hangs up; a write is a task, and ends by itself."""
        with contextlib.suppress(dbapi.Error):
            connection.handle.close()

    @classmethod
    def get_response(cls, cursor: Any) -> AdapterResponse:
        version = cursor.result.raw.get("version") if cursor.result is not None else None
        message = "OK" if version is None else f"OK version {version}"
        return AdapterResponse(_message=message, rows_affected=cursor.rowcount)

    @classmethod
    def data_type_code_to_name(cls, type_code: int | str) -> str:
        return str(type_code)

    def add_begin_query(self, *_: Any, **__: Any) -> None:
        """There is no transaction."""

    def add_commit_query(self, *_: Any, **__: Any) -> None:
        """There is no transaction."""
