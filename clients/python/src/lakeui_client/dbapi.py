"""DB-API 2.0 (PEP 249) over a branch of a catalog.

    connection = connect("http://127.0.0.1:8000", token, catalog="demo", branch="main")

A connection is an SQL session of the server: USE, temporary views and functions and settings count for the statements
behind them. What changes tables becomes one commit at ``connection.commit()``: the first such statement begins a
transaction. Others, such as CREATE BRANCH, belong to no transaction and are done at once. With ``autocommit`` every
statement is, but for those between BEGIN and COMMIT. Statements read ``?`` with a sequence, ``:name`` with a mapping.
"""

from __future__ import annotations

import contextlib
import datetime
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

from lakeui_client.catalogs import Branch, Catalog
from lakeui_client.dbapi_values import rows_read
from lakeui_client.errors import ConflictError, ConnectionFailed, LakeError, PermissionDenied, Unauthenticated
from lakeui_client.errors import NotFound as _NotFound
from lakeui_client.kinds import changes_tables, moves
from lakeui_client.lake import Lake
from lakeui_client.results import KeptResult
from lakeui_client.sessions import Session
from lakeui_client.values import Result

apilevel = "2.0"
threadsafety = 1
paramstyle = "qmark"


class Warning(Exception):
    """PEP 249 wants it; nothing raises it."""


class Error(Exception):
    """``problem`` is what the server said, where it said something."""

    @property
    def problem(self) -> dict[str, Any]:
        cause = self.__cause__
        return cause.problem if isinstance(cause, LakeError) else {}


class InterfaceError(Error):
    """The driver was used wrongly."""


class DatabaseError(Error):
    """The server refused."""


class DataError(DatabaseError):
    pass


class OperationalError(DatabaseError):
    pass


class IntegrityError(DatabaseError):
    pass


class InternalError(DatabaseError):
    pass


class ProgrammingError(DatabaseError):
    pass


class NotSupportedError(DatabaseError):
    pass


_OF_CODES: dict[str, type[DatabaseError]] = {
    "DUPLICATE_KEY": IntegrityError,
    "NOT_NULL_VIOLATION": IntegrityError,
    "CHECK_VIOLATION": IntegrityError,
    "CARDINALITY": IntegrityError,
    "TYPE_NARROWING": DataError,
    "NOT_SUPPORTED": NotSupportedError,
    "FORBIDDEN_STATEMENT": NotSupportedError,
    "INTERNAL_ERROR": InternalError,
    "NO_PYARROW": NotSupportedError,
}


def _translated(error: LakeError) -> DatabaseError:
    known = _OF_CODES.get(error.code)
    if known is None and is_session_gone(error.problem):
        known = OperationalError
    if known is None:
        late = isinstance(error, ConflictError | ConnectionFailed | PermissionDenied | Unauthenticated)
        is_away = late or error.status >= 500 or error.status == 429
        wrong = isinstance(error, _NotFound) or error.status in (400, 409)
        known = OperationalError if is_away else ProgrammingError if wrong else DatabaseError
    return known(f"{error.code}: {error}")


def is_session_gone(problem: Mapping[str, Any]) -> bool:
    """Whether the session of a connection has ended."""
    return problem.get("code") == "NOT_FOUND" and problem.get("kind") == "session"


class _Type:
    """Equal to the Spark types of its family, as PEP 249 compares ``description``."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and other.lower().startswith(self._names)

    def __hash__(self) -> int:
        return hash(self._names)


STRING = _Type("string", "varchar", "char")
BINARY = _Type("binary")
NUMBER = _Type("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
DATETIME = _Type("date", "timestamp")
ROWID = _Type("\0")

Date = datetime.date
Time = datetime.time
Timestamp = datetime.datetime
Binary = bytes
DateFromTicks = datetime.date.fromtimestamp
TimestampFromTicks = datetime.datetime.fromtimestamp


def TimeFromTicks(ticks: float) -> datetime.time:
    return datetime.time(*time.localtime(ticks)[3:6])


def connect(
    url: str | None = None,
    token: str | None = None,
    *,
    catalog: str,
    branch: str = "main",
    database: str | None = None,
    autocommit: bool = False,
    timeout: float = 300,
) -> Connection:
    try:
        lake = Lake(url, token, timeout=timeout)
    except LakeError as error:
        raise InterfaceError(str(error)) from error
    return Connection(lake.catalog(catalog).branch(branch), database=database, autocommit=autocommit)


class Connection:
    Warning, Error, InterfaceError, DatabaseError = Warning, Error, InterfaceError, DatabaseError
    DataError, OperationalError, IntegrityError = DataError, OperationalError, IntegrityError
    InternalError, ProgrammingError, NotSupportedError = InternalError, ProgrammingError, NotSupportedError

    def __init__(self, branch: Branch, *, database: str | None = None, autocommit: bool = False) -> None:
        self.branch, self.database, self.autocommit = branch, database, autocommit
        self.is_closed = False
        self._session: Session | None = None
        self._in_transaction = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Commit what the block did, or roll it back where it failed."""
        self.commit() if kind is None else self.rollback()

    def cursor(self) -> Cursor:
        self._require_open()
        return Cursor(self)

    def commit(self) -> None:
        """One commit of all that was written since the last one. Raises OperationalError where others came in between
        and it does not fit; nothing of it was done then.
        """
        self._end("COMMIT")

    def rollback(self) -> None:
        self._end("ROLLBACK")

    def _end(self, statement: str) -> None:
        self._require_open()
        if not self._in_transaction:
            return
        self._in_transaction = False
        try:
            self._sql(statement, None)
        except DatabaseError:
            # The server leaves it open, and the next one could not begin.
            with contextlib.suppress(DatabaseError):
                self._sql("ROLLBACK", None)
            raise

    def close(self) -> None:
        """Roll back what was not committed, and end the session."""
        if self.is_closed:
            return
        self.is_closed = True
        try:
            if self._session is not None:
                self._session.end()
        except LakeError as error:
            raise _translated(error) from error
        finally:
            self.branch.http.close()

    def run(self, statement: str, parameters: Sequence[Any] | Mapping[str, Any] | None) -> Result:
        self._require_open()
        if not self.autocommit and not self._in_transaction and changes_tables(statement):
            self._sql("BEGIN", None)
        return self._sql(statement, parameters)

    def _sql(self, statement: str, parameters: Any) -> Result:
        """Run it in the session, and follow what it changed of that."""
        try:
            if self._session is None:
                self._session = self.branch.session(self.database)
            result = self._session.sql(statement, parameters)
            if moves(statement):
                self._follow(self._session)
        except LakeError as error:
            raise _translated(error) from error
        if "transaction" in result.raw:
            # Only BEGIN does not say how it ended.
            self._in_transaction = "state" not in result.raw
        return result

    def _follow(self, session: Session) -> None:
        """Take over where the session is."""
        place = session.get()
        self.branch = Catalog(self.branch.http, place["catalog"]).branch(place["branch"])
        self.database = place["database"]

    def ping(self) -> None:
        """Raises OperationalError where the server does not answer, or the session has ended."""
        self._require_open()
        try:
            self.branch.get() if self._session is None else self._session.get()
        except LakeError as error:
            raise _translated(error) from error

    def _require_open(self) -> None:
        if self.is_closed:
            raise InterfaceError("The connection is closed.")


class Cursor:
    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.arraysize = 1
        self.result: Result | None = None
        self._kept: KeptResult | None = None
        self._count = -1
        self._rows: Iterator[tuple[Any, ...]] = iter(())
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def description(self) -> list[tuple[str, str, None, None, None, None, None]] | None:
        if self.result is None or not self.result.columns:
            return None
        return [(name, kind, None, None, None, None, None) for name, kind in self.result.columns]

    @property
    def rowcount(self) -> int:
        """Rows that were answered, or written."""
        if self.result is None:
            return -1
        if self.result.columns:
            return self._count
        written = [value for name, value in self.result.metrics.items() if re.fullmatch("rows_(.*)ed", name)]
        return sum(written) if written else -1

    def execute(self, operation: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None) -> Cursor:
        if self._is_closed:
            raise InterfaceError("The cursor is closed.")
        self._let_go()
        self.result = self.connection.run(operation, parameters or None)
        self._count = self.result.row_count
        self._rows = self._kept_rows() if self.result.truncated else rows_read(self.result.columns, self.result.rows)
        return self

    def _kept_rows(self) -> Iterator[tuple[Any, ...]]:
        """More rows than the server sends at once: it keeps them, and they come a page at a time. A cursor never ends
        early in silence, and never holds all of them.
        """
        assert self.result is not None
        try:
            kept = self._kept = self.result.keep()
        except LakeError as error:
            raise _translated(error) from error
        self._count = kept.row_count
        return rows_read(kept.columns, self._pages(kept))

    def _pages(self, kept: KeptResult) -> Iterator[tuple[Any, ...]]:
        try:
            yield from kept.rows()
        except LakeError as error:
            raise _translated(error) from error
        self._let_go()

    def _let_go(self) -> None:
        kept, self._kept = self._kept, None
        if kept is not None:
            try:
                kept.let_go()
            except LakeError as error:
                raise _translated(error) from error

    def executemany(self, operation: str, seq_of_parameters: Sequence[Sequence[Any] | Mapping[str, Any]]) -> None:
        for parameters in seq_of_parameters:
            self.execute(operation, parameters)

    def fetchone(self) -> tuple[Any, ...] | None:
        self._require_rows()
        return next(self._rows, None)

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        self._require_rows()
        wanted = self.arraysize if size is None else size
        return [row for _, row in zip(range(wanted), self._rows, strict=False)]

    def fetchall(self) -> list[tuple[Any, ...]]:
        self._require_rows()
        return list(self._rows)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        self._require_rows()
        return self._rows

    def _require_rows(self) -> None:
        if self._is_closed:
            raise InterfaceError("The cursor is closed.")
        if self.description is None:
            raise ProgrammingError("No statement that answers rows was executed.")

    def setinputsizes(self, sizes: Any) -> None:
        """Nothing depends on it."""

    def setoutputsize(self, size: Any, column: Any = None) -> None:
        """Nothing depends on it."""

    def close(self) -> None:
        self._is_closed = True
        self._rows = iter(())
        self._let_go()
