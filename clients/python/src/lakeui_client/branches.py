"""A branch of a catalog: its statements, files, history and merges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

from lakeui_client.errors import LakeError, failed
from lakeui_client.files import FileTable
from lakeui_client.http import key_make
from lakeui_client.kinds import is_query, reads
from lakeui_client.merge_requests import MergeRequest
from lakeui_client.results import KeptResult, kind_of
from lakeui_client.sessions import Parameters, Session, kept_result, scripted
from lakeui_client.values import Conflict, Diff, Merged, Rehearsal, Reset, Result, Undone, version_require

if TYPE_CHECKING:
    import pyarrow as pa

    from lakeui_client.lake import Catalog


class Branch:
    """A branch of a catalog, by its name."""

    def __init__(self, catalog: Catalog, name: str, *, drop_at_end: bool = False) -> None:
        self.catalog, self.name, self.http = catalog, name, catalog.http
        self._drop_at_end = drop_at_end

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drop_at_end:
            try:
                self.drop()
            except LakeError:
                # What ended the block is what its reader has to know.
                if error is None:
                    raise

    @property
    def path(self) -> str:
        return f"{self.catalog.path}branches/{quote(self.name)}/"

    def get(self) -> dict[str, Any]:
        found: dict[str, Any] = self.http.get(self.path)
        return found

    def table(self, name: str) -> FileTable:
        """A table of files that this process reads itself, as the branch is now."""
        return self.catalog.table(name, branch=self.name)

    def rename(self, name: str) -> None:
        self.name = self.http.write("PATCH", self.path, {"name": name})["name"]

    def set_expiry(self, expires: str | None) -> None:
        """Have the server drop the branch in so long (``7 days``), or at a time; None: never."""
        self.http.write("PATCH", self.path, {"expires": expires})

    def drop(self) -> None:
        self.http.write("DELETE", self.path)

    def reset(self, *, dry_run: bool = False, expected_head: int | None = None, bypass_reason: str = "") -> Reset:
        """Make the branch what its parent is. What it had of its own goes to the trash. ``expected_head``: the version
        that it has to be at. Raises LakeError with BRANCH_MOVED where it is at another.
        """
        body = {"dry_run": dry_run, "expected_head": expected_head, "bypass_reason": bypass_reason}
        raw = self.http.write("POST", f"{self.path}reset/", body, has_key=not dry_run)
        discarded = raw["discarded"]
        return Reset(
            raw["is_done"], raw["parent"], raw["head_version"], discarded["branch_id"], discarded["commits"], raw
        )

    # -- statements ---------------------------------------------------------------------------------------------------

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
        body = self._statement(statement, parameters, database)
        given = {"transaction": transaction, "bypass_reason": bypass_reason, "dry_run": dry_run or None}
        given |= {"message": message}
        body |= {name: value for name, value in given.items() if value}
        headers = {"Prefer": self.http.preference}
        is_read = reads(statement)
        if not is_read:
            headers["Idempotency-Key"] = key_make()
        sent = self.http.send("POST", "/api/v1/sql/", body=body, headers=headers, is_repeatable=is_read)

        def keep() -> KeptResult:
            return self.keep(statement, parameters, database=database, transaction=transaction)

        return Result(self.http.finished(sent.json), keep if is_query(statement) else None)

    def session(self, database: str | None = None) -> Session:
        """A new session that begins here. `USE`, temporary views and functions, settings and `BEGIN .. COMMIT` hold for
        the statements after them. It ends with its ``with`` block.
        """
        place = {"catalog": self.catalog.name, "branch": self.name, "database": database}
        opened = self.http.write("POST", "/api/v1/sessions/", place, has_key=False)
        return Session(self.http, opened["id"])

    def script(
        self, text: str, parameters: Mapping[str, Any] | None = None, *, one_transaction: bool = False
    ) -> list[Result]:
        """Run the statements of a script, until one fails; with ``one_transaction`` all become one commit, or none."""
        place = {"catalog": self.catalog.name, "branch": self.name}
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
        body: dict[str, Any] = {"catalog": self.catalog.name, "branch": self.name, "statement": statement}
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

    def restore(
        self,
        *,
        version: int | None = None,
        timestamp: str | None = None,
        database: str = "",
        table: str = "",
        dry_run: bool = False,
    ) -> Undone | Result:
        """Take the branch, a database or a table back to how it was, as a commit of its own."""
        body: dict[str, Any] = {"branch": self.name, "version": version, "timestamp": timestamp, "dry_run": dry_run}
        body |= {name: value for name, value in (("database", database), ("table", table)) if value}
        if dry_run:
            return Result(self.http.write("POST", f"{self.catalog.path}restores/", body))
        return self.catalog.restored(body)

    # -- merging ------------------------------------------------------------------------------------------------------

    def _destination(self, into: str | None) -> str:
        return into or self.get()["parent"] or "main"

    def diff(self, into: str | None = None) -> Diff:
        """What a merge into ``into``, the parent unless said, would meet."""
        return self.catalog.compare(self.name, self._destination(into))

    def rehearse(self, into: str | None = None, *, decisions: Sequence[Mapping[str, Any]] = ()) -> Rehearsal:
        """A dry run of the merge: whatever it finds is the answer, and nothing is changed."""
        body = self._merge(into, decisions) | {"dry_run": True}
        raw = self.http.write("POST", f"{self.catalog.path}merges/", body)
        conflicts = tuple(map(Conflict.read, raw["conflicts"]))
        return Rehearsal(raw["mergeable"], conflicts, raw["fingerprint"], raw["merge_id"], raw)

    def merge(
        self,
        into: str | None = None,
        *,
        decisions: Sequence[Mapping[str, Any]] = (),
        bypass_reason: str = "",
        message: str = "",
    ) -> Merged:
        """Merge this branch. Raises ConflictError with every conflict, WaitsForPeople where a protection asks for a
        merge request; neither branch is changed then. ``message``: what the history says of the commit.
        """
        given = {"bypass_reason": bypass_reason, "message": message}
        body = self._merge(into, decisions) | {name: value for name, value in given.items() if value}
        raw = self.http.write("POST", f"{self.catalog.path}merges/", body)
        return Merged(raw["merge_id"], raw["outcome"], raw["version"], raw["fingerprint"], raw)

    def _merge(self, into: str | None, decisions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        body: dict[str, Any] = {"source": self.name, "destination": self._destination(into)}
        return body | ({"decisions": [dict(item) for item in decisions]} if decisions else {})

    def request(
        self,
        title: str,
        *,
        into: str | None = None,
        description: str = "",
        reviewers: Iterable[str] = (),
        draft: bool = False,
    ) -> MergeRequest:
        """Open a merge request of this branch."""
        body = {
            "source": self.name,
            "destination": self._destination(into),
            "title": title,
            "description": description,
            "reviewers": list(reviewers),
            "draft": draft,
        }
        return MergeRequest(
            self.catalog, self.http.write("POST", f"{self.catalog.path}merge-requests/", body)["number"]
        )


def undone_of(raw: dict[str, Any]) -> Undone:
    return Undone(raw["audit_id"], raw["outcome"], raw["version"], raw)
