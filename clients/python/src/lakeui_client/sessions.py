"""An SQL session, and statements that are sent in one request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from lakeui_client.errors import LakeError, NotFound
from lakeui_client.http import Http, key_make, segment
from lakeui_client.kinds import is_query, reads_in_session
from lakeui_client.results import KeptResult
from lakeui_client.values import Result

Parameters = Sequence[Any] | Mapping[str, Any] | None
"""Values for the markers ``?`` of a statement in their order, or for ``:name`` by name."""


class Session:
    """A session of yours at the server, by its id. Raises NotFound where it has ended."""

    def __init__(self, http: Http, identity: str) -> None:
        self.http, self.id = http, identity
        self.path = f"/api/v1/sessions/{segment(identity)}/"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.end()
        except LakeError:
            # What ended the block is what its reader has to know.
            if error is None:
                raise

    def get(self) -> dict[str, Any]:
        """Where it is, and what it keeps."""
        found: dict[str, Any] = self.http.get(self.path)
        return found

    def sql(
        self,
        statement: str,
        parameters: Parameters = None,
        *,
        dry_run: bool = False,
        bypass_reason: str = "",
        message: str = "",
    ) -> Result:
        """Run one statement in the session. What changes something, also of the session, is done once. ``message``:
        what the history says of its commit.
        """
        given = {"bypass_reason": bypass_reason, "dry_run": dry_run or None, "message": message}
        body = with_given(self._statement(statement, parameters), given)
        is_read = reads_in_session(statement)
        return statement_run(self.http, body, is_read, lambda: self.keep(statement, parameters))

    def keep(self, statement: str, parameters: Parameters = None) -> KeptResult:
        """As ``keep`` of a branch, in the session."""
        return kept_result(self.http, self._statement(statement, parameters))

    def script(
        self, text: str, parameters: Mapping[str, Any] | None = None, *, one_transaction: bool = False
    ) -> list[Result]:
        """As ``script`` of a branch, in the session."""
        return scripted(self.http, {"session": self.id}, text, parameters, one_transaction)

    def _statement(self, statement: str, parameters: Parameters) -> dict[str, Any]:
        body: dict[str, Any] = {"session": self.id, "statement": statement}
        if parameters is not None:
            from lakeui_client.parameters import parameters_sent

            body["parameters"] = parameters_sent(parameters)
        return body

    def end(self) -> None:
        """End it; an open transaction is rolled back. One that has ended stays ended."""
        try:
            self.http.write("DELETE", self.path, has_key=False)
        except NotFound:
            return


def with_given(body: dict[str, Any], members: Mapping[str, Any]) -> dict[str, Any]:
    """The body with those members that say something."""
    return body | {name: value for name, value in members.items() if value}


def statement_run(http: Http, body: dict[str, Any], is_read: bool, keep: Callable[[], KeptResult]) -> Result:
    """Send a statement. One that is no read is done once, also where its answer was lost. ``keep`` runs a query whose
    rows the server keeps.
    """
    headers = {"Prefer": http.preference} | ({} if is_read else {"Idempotency-Key": key_make()})
    sent = http.send("POST", "/api/v1/sql/", body=body, headers=headers, is_repeatable=is_read)
    return Result(http.finished(sent.json), keep if is_query(body["statement"]) else None)


def scripted(
    http: Http, place: dict[str, Any], text: str, parameters: Mapping[str, Any] | None, one_transaction: bool
) -> list[Result]:
    body = {**place, "script": text, "one_transaction": one_transaction}
    found = http.write("POST", "/api/v1/sql/script/", body | ({"parameters": parameters} if parameters else {}))
    return [Result(entry) for entry in found["results"]]


def kept_result(http: Http, body: dict[str, Any]) -> KeptResult:
    """Whoever watches sees the query as a task; else it ends with the request."""
    headers = {"Prefer": http.preference} if http.watch else {}
    sent = http.send("POST", "/api/v1/results/", body=body, headers=headers, is_repeatable=True)
    return KeptResult(http, http.finished(sent.json))
