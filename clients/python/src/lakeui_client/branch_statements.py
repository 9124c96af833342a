"""Statements, files and results of a branch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lakeui_client.errors import failed
from lakeui_client.http import Http
from lakeui_client.kinds import reads
from lakeui_client.results import KeptResult, kind_of
from lakeui_client.sessions import Parameters, Session, kept_result, scripted, statement_run, with_given
from lakeui_client.values import Result, version_require

if TYPE_CHECKING:
    import pyarrow as pa


class BranchStatements(ABC):
    """What runs on a branch: ``path`` is its address, ``catalog_name`` and ``name`` say where."""

    http: Http
    catalog_name: str
    name: str

    @property
    @abstractmethod
    def path(self) -> str: ...

    def sql(
        self,
        statement: str,
        parameters: Parameters = None,
        *,
        database: str | None = None,
        transaction: str | None = None,
        dry_run: bool = False,
        bypass_reason: str = "",
        message: str = "",
    ) -> Result:
        """Run one statement here. ``parameters`` never become text of it. What writes is done once, also where the
        answer was lost on its way. Raises LakeError, ConflictError where others came in between and it does not fit.
        ``message``: what the history says of its commit.
        """
        given = {"transaction": transaction, "bypass_reason": bypass_reason, "dry_run": dry_run or None}
        body = with_given(self._statement(statement, parameters, database), given | {"message": message})

        def keep() -> KeptResult:
            return self.keep(statement, parameters, database=database, transaction=transaction)

        return statement_run(self.http, body, reads(statement), keep)

    def session(self, database: str | None = None) -> Session:
        """A new session that begins here. `USE`, temporary views and functions, settings and `BEGIN .. COMMIT` hold for
        the statements after them. It ends with its ``with`` block.
        """
        place = {"catalog": self.catalog_name, "branch": self.name, "database": database}
        opened = self.http.write("POST", "/api/v1/sessions/", place, has_key=False)
        return Session(self.http, opened["id"])

    def script(
        self, text: str, parameters: Mapping[str, Any] | None = None, *, one_transaction: bool = False
    ) -> list[Result]:
        """Run the statements of a script, until one fails; with ``one_transaction`` all become one commit, or none."""
        place = {"catalog": self.catalog_name, "branch": self.name}
        return scripted(self.http, place, text, parameters, one_transaction)

    def keep(
        self,
        statement: str,
        parameters: Parameters = None,
        *,
        database: str | None = None,
        transaction: str | None = None,
    ) -> KeptResult:
        """Run a query whose rows the server keeps, however many there are. They are fetched in pieces,
        as ``for batch in kept.batches()`` in a block ``with branch.keep(query) as kept``.
        """
        body = self._statement(statement, parameters, database)
        return kept_result(self.http, body | ({"transaction": transaction} if transaction else {}))

    def export(
        self, statement: str, file: str | Path, parameters: Parameters = None, *, database: str | None = None
    ) -> int:
        """Write the whole result of a query into a file, CSV or Parquet by its ending; answers the number of rows."""
        kind_of(file)
        with self.keep(statement, parameters, database=database) as kept:
            kept.save(file)
            return kept.row_count

    def arrow(
        self,
        statement: str,
        parameters: Parameters = None,
        *,
        database: str | None = None,
        version: int | None = None,
    ) -> pa.Table:
        """The whole result of a query as an Arrow table. Raises Stale where the branch is not at ``version``."""
        with self.keep(statement, parameters, database=database) as kept:
            version_require(kept.version, version)
            return kept.to_arrow()

    def _statement(self, statement: str, parameters: Parameters, database: str | None) -> dict[str, Any]:
        body: dict[str, Any] = {"catalog": self.catalog_name, "branch": self.name, "statement": statement}
        if parameters is not None:
            # Dates and decimals are loaded by those that send some: a command starts without.
            from lakeui_client.parameters import parameters_sent

            body["parameters"] = parameters_sent(parameters)
        return body | ({"database": database} if database else {})

    # -- files --------------------------------------------------------------------------------------------------------

    def import_file(
        self,
        file: str | Path,
        table: str,
        *,
        mode: str = "append",
        key_columns: Iterable[str] = (),
        dry_run: bool = False,
        message: str = "",
        **options: Any,
    ) -> Result:
        """Load a file (CSV, JSON, Parquet, Arrow) into ``database.table`` as one commit. ``mode``: ``create`` the
        table, ``append``, ``replace``, or ``insert``, ``update``, ``upsert`` by ``key_columns``. ``message``: what
        the history says of the commit.
        """
        database, dot, name = table.partition(".")
        if not dot:
            raise failed(f"{table} names no database.", "Write it as database.table.")
        # A file that was sent twice is not loaded twice: one of both expires.
        sent = self.http.send_file(f"{self.path}imports/", file)
        body = {"database": database, "table": name, "mode": mode, **options}
        body |= {"key_columns": list(key_columns)} if key_columns else {}
        body |= {"dry_run": True} if dry_run else {}
        body |= {"message": message} if message else {}
        return Result(self.http.write("POST", f"{self.path}imports/{sent['id']}/load/", body))

    # -- history ------------------------------------------------------------------------------------------------------

    def log(self, limit: int | None = 50, **filters: Any) -> list[dict[str, Any]]:
        """Commits, newest first."""
        return self.http.pages(f"{self.path}history/", limit=limit, **filters)

    def operations(self, version: int, limit: int | None = None) -> list[dict[str, Any]]:
        """What the commit of that version did. Its entry in ``log`` has the first 100."""
        return self.http.pages(f"{self.path}history/{version}/operations/", limit=limit)
