"""Write, audit, publish: a run writes on a branch of its own, checks look at it, and what passes them is merged.

checks = {"no_negative_delay": "SELECT * FROM flights.flights WHERE delay < 0"}
with Publication(catalog, "loads/42", checks=checks) as run:
    run.sql("INSERT INTO flights.flights SELECT * FROM staging.flights")
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, Self, get_args

from lakeui_client.errors import AlreadyPublished, ChecksFailed, NotFound, WaitsForPeople, failed
from lakeui_client.kinds import is_query

if TYPE_CHECKING:
    from lakeui_client.catalogs import Branch, Catalog, MergeRequest
    from lakeui_client.sessions import Parameters
    from lakeui_client.values import Merged, Result

How = Literal["merge", "request", "either"]
"""``merge``; ``request``: open a merge request; ``either``: a request where a protection asks for one."""

OPEN_STATES = ("draft", "open", "changes_requested", "approved", "queued", "merging", "conflicted")
_SAMPLE_ROWS = 5
_OF_AN_ATTEMPT = re.compile(r"\.[0-9]+$")
"""How the branches of later attempts end (``_name``)."""


class Failure(NamedTuple):
    """A check that found rows: how many the server sent, and the first of them."""

    name: str
    rows: int
    truncated: bool
    sample: tuple[dict[str, Any], ...]

    def __str__(self) -> str:
        count = f"{'more than ' if self.truncated else ''}{self.rows:,} row{'' if self.rows == 1 else 's'}"
        return f"{self.name} found {count}, such as {', '.join(map(str, self.sample[:1]))}"


class Publication:
    """A run, as a ``with`` block. It publishes once: whatever an attempt published, no later attempt publishes again.

    ``attempt`` counts from 1. An attempt drops the branches of those before it, so that one which still runs somewhere
    cannot merge any more. Then it asks whether one of them has. Raises AlreadyPublished if so.

    Where the block or a check fails, nothing is published, and the branch stays to be looked at.
    """

    def __init__(
        self,
        catalog: Catalog,
        run: str,
        *,
        into: str = "main",
        checks: Mapping[str, str] | None = None,
        publish: How = "merge",
        title: str = "",
        description: str = "",
        attempt: int = 1,
    ) -> None:
        if publish not in get_args(How):
            raise failed(f"A run is not published by {publish!r}.", f"Say one of {', '.join(get_args(How))}.")
        if attempt < 1:
            raise failed(f"There is no attempt {attempt}.", "Attempts count from 1.")
        if _OF_AN_ATTEMPT.search(run):
            # Attempts of another run would take its branch and its merge for theirs.
            raise failed(
                f"The run {run} is named as a later attempt of another run.",
                "Let its name end otherwise than by a dot and a number.",
            )
        for name, query in (checks or {}).items():
            if not is_query(query):
                raise failed(f"The check {name} is no query.", "Write a query of the rows that must not be there.")
        self.catalog, self.run, self.into, self.attempt = catalog, run, into, attempt
        self.checks = dict(checks or {})
        self.how: How = publish
        self.title, self.description = title or f"Publish {run}", description
        self.merged: Merged | None = None
        self.request: MergeRequest | None = None
        self._branch: Branch | None = None

    @property
    def branch(self) -> Branch:
        """The branch of the attempt. It is there once the block began."""
        if self._branch is None:
            raise failed(f"The run {self.run} has not begun.", "Use it as a with block.")
        return self._branch

    @property
    def outcome(self) -> dict[str, Any]:
        """What came of it, as values of JSON."""
        return {
            "run": self.run,
            "merge_id": self.merged.merge_id if self.merged else None,
            "version": self.merged.version if self.merged else None,
            "request": self.request.number if self.request else None,
        }

    def sql(self, statement: str, parameters: Parameters = None, *, database: str | None = None) -> Result:
        """Run one statement on the branch."""
        return self.branch.sql(statement, parameters, database=database)

    def __enter__(self) -> Self:
        earlier = [_name(self.run, number) for number in range(1, self.attempt)]
        for name in earlier:
            self._found_request(name)
            _drop(self.catalog.branch(name))
        for name in [*earlier, _name(self.run, self.attempt)]:
            self._found_merge(name)
        self._branch = self.catalog.branch(_name(self.run, self.attempt), from_=self.into)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            error.add_note(f"Nothing was published. Branch {self.branch.name} has what was written.")
            return
        self.audit()
        if self.how == "request":
            self._open_request()
            return
        try:
            self.merged = self.branch.merge(self.into)
        except WaitsForPeople:
            if self.how == "merge":
                raise
            self._open_request()
            return
        _drop(self.branch)

    def audit(self) -> None:
        """Run the checks on the branch as it is now. Raises ChecksFailed with each that finds rows."""
        found = [self._check(name, query) for name, query in self.checks.items()]
        failures = [failure for failure in found if failure is not None]
        if failures:
            raise ChecksFailed(
                {
                    "code": "CHECKS_FAILED",
                    "detail": f"Checks of the run {self.run} failed. " + " ".join(f"{entry}." for entry in failures),
                    "remedy": f"Nothing was published. Look at branch {self.branch.name}.",
                    "failures": [failure._asdict() for failure in failures],
                }
            )

    def _check(self, name: str, query: str) -> Failure | None:
        found = self.branch.sql(query)
        if not found.row_count:
            return None
        return Failure(name, found.row_count, found.truncated, tuple(found.to_dicts()[:_SAMPLE_ROWS]))

    def _open_request(self) -> None:
        self.request = self.branch.request(self.title, into=self.into, description=self.description)

    def _found_merge(self, name: str) -> None:
        for record in self.catalog.merges(source=name, destination=self.into, outcome="merged", limit=1):
            self._already(f"It was merged as {record['merge_id']}.", merge_id=record["merge_id"])

    def _found_request(self, name: str) -> None:
        """An attempt before this one may have opened a request, and ended before it could say so."""
        try:
            found = self.catalog.merge_requests(source=name, destination=self.into, state=list(OPEN_STATES), limit=1)
        except NotFound:
            return
        for request in found:
            self._already(f"Merge request {request['number']} is open.", request=request["number"])

    def _already(self, what: str, **members: Any) -> NoReturn:
        raise AlreadyPublished(
            {
                "code": "ALREADY_PUBLISHED",
                "detail": f"The run {self.run} was published before. {what}",
                "remedy": "Take that back, and use another name, to publish once more.",
                "run": self.run,
                **members,
            }
        )


def _name(run: str, attempt: int) -> str:
    return run if attempt == 1 else f"{run}.{attempt}"


def _drop(branch: Branch) -> None:
    """Drop it, unless it is gone. ``undrop_branch`` brings it back."""
    try:
        branch.drop()
    except NotFound:
        return


def outcome_of(error: AlreadyPublished) -> dict[str, Any]:
    """What an earlier attempt published, in the form of ``Publication.outcome``."""
    given = {name: error.problem.get(name) for name in ("run", "merge_id", "request")}
    return {**given, "version": None}
