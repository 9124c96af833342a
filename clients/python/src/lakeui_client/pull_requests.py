"""A branch of a catalog for each pull request of a host of Git: begin, report, merge, close.

The branch holds what the programs of the pull request write. What was found of one commit is a status of the merge
request, kept by the lake: a comment, which others may edit, decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lakeui_client.catalogs import Branch, Catalog, MergeRequest
from lakeui_client.errors import ConflictError, LakeError, NotFound, WaitsForPeople, failed
from lakeui_client.http import Http, segment
from lakeui_client.publishing import OPEN_STATES
from lakeui_client.values import Diff

CONTEXT = "pull-request"
"""The context of the status; a protection rule may require it."""
_PAGE, _MOST_PAGES = 100, 100


class Host:
    """Comments of pull requests, as the interface of GitHub has them; those of Forgejo and Gitea are the same."""

    def __init__(self, url: str, repository: str, token: str) -> None:
        self._http = Http(url, token)
        owner, _, name = repository.partition("/")
        if not owner or not name or "/" in name:
            raise failed(f"{repository!r} is no repository.", "Write it as OWNER/NAME.")
        self.repository = repository
        self._path = f"/repos/{segment(owner)}/{segment(name)}/issues"

    def comment(self, number: int, mark: str, text: str) -> str:
        """Have one comment that begins with the mark: the newest text replaces the one before. Answers its address."""
        body = {"body": f"{mark}\n{text}"}
        known = self._found(number, mark)
        if known is None:
            made = self._send("POST", f"{self._path}/{number}/comments", body)
        else:
            made = self._send("PATCH", f"{self._path}/comments/{known}", body)
        return str(made.get("html_url", ""))

    def _found(self, number: int, mark: str) -> int | None:
        for page in range(1, _MOST_PAGES + 1):
            query = {"per_page": _PAGE, "limit": _PAGE, "page": page}
            comments = self._send("GET", f"{self._path}/{number}/comments", query=query)
            for comment in comments:
                if str(comment["body"]).startswith(mark):
                    return int(comment["id"])
            if not comments:
                break
        return None

    def _send(self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None) -> Any:
        try:
            return self._http.send(method, path, body=body, query=query, headers={"User-Agent": "lakeui-client"}).json
        except LakeError as error:
            raise failed(
                f"{self._http.url} refuses {method} {path}: {error.problem.get('message') or error.detail}",
                "Give a token that may write comments of pull requests.",
                code="HOST_REFUSED",
            ) from None


class Reported(NamedTuple):
    """What was found of a commit. ``request`` is None where the branch changes nothing."""

    diff: Diff
    request: int | None
    state: str


class Ended(NamedTuple):
    """``outcome``: merged, merged before, nothing to merge, or closed."""

    outcome: str
    merge_id: str | None = None
    version: int | None = None


class PullRequest:
    """``commit`` is its newest one. All four methods may be called again after they were cut off anywhere."""

    def __init__(
        self,
        catalog: Catalog,
        number: int,
        commit: str,
        *,
        into: str = "main",
        prefix: str = "pull/",
        title: str = "",
        address: str = "",
    ) -> None:
        if number < 1 or not commit:
            raise failed("A pull request has a number and a commit.", "Give both.")
        self.catalog, self.into, self.name = catalog, into, f"{prefix}{number}"
        self.title, self.address = title or f"Pull request {number}", address
        self.commit = commit

    @property
    def branch(self) -> Branch:
        return self.catalog.branch(self.name)

    def begin(self) -> dict[str, Any]:
        """The branch as its target is now: what an earlier commit wrote is discarded, and its merge request closed."""
        try:
            found = self.branch.get()
        except NotFound:
            self.catalog.branch(self.name, from_=self.into)
            return self.branch.get()
        if found["parent"] != self.into:
            raise failed(
                f"Branch {self.name} was made from {found['parent']}, and not from {self.into}.",
                "Rename or drop it, or choose another prefix.",
            )
        # First the requests: those of the branch that goes to the trash keep its name.
        for request in self._open():
            request.close()
        self.branch.reset()
        return self.branch.get()

    def report(self, state: str) -> Reported:
        """Say whether the programs of the commit succeeded: ``success``, ``failure``, ``error`` or ``pending``."""
        diff = self.branch.diff(self.into)
        if diff.is_empty:
            return Reported(diff, None, state)
        request = next(iter(self._open()), None) or self.branch.request(
            self.title, into=self.into, description=self.address
        )
        given = {"context": CONTEXT, "state": state, "description": f"commit {self.commit}", "target_url": self.address}
        given["source_head"] = diff.raw["source"]["head_version"]
        self.catalog.http.write("POST", f"{request.path}statuses/", given, has_key=False)
        return Reported(diff, request.number, state)

    def merge(self) -> Ended:
        """Merge what the report of this commit succeeded for, and drop the branch. Raises WaitsForPeople,
        ConflictError, and LakeError with NOT_REPORTED where there is no such report.
        """
        request = next(iter(self._open()), None)
        if request is not None:
            self._reported_require(request)
            done = request.merge()
            self._drop()
            return Ended("merged", done.merge_id, done.version)
        for record in self.catalog.merges(source=self.name, destination=self.into, outcome="merged", limit=1):
            self._drop()
            return Ended("merged before", record["merge_id"])
        try:
            is_empty = self.branch.diff(self.into).is_empty
        except NotFound:
            is_empty = True
        if not is_empty:
            raise self._not_reported("no merge request of the branch is open")
        self._drop()
        return Ended("nothing to merge")

    def close(self) -> Ended:
        """Close the merge request, and drop the branch; ``undrop_branch`` brings it back."""
        for request in self._open():
            request.close()
        self._drop()
        return Ended("closed")

    def _open(self) -> list[MergeRequest]:
        try:
            found = self.catalog.merge_requests(source=self.name, destination=self.into, state=list(OPEN_STATES))
        except NotFound:
            return []
        return [MergeRequest(self.catalog, entry["number"]) for entry in found]

    def _reported_require(self, request: MergeRequest) -> None:
        contexts = self.catalog.http.get(f"{request.path}statuses/")["results"]
        found = next((entry for entry in contexts if entry["context"] == CONTEXT and entry["status"]), None)
        if found is None:
            raise self._not_reported("nothing was reported")
        status = found["status"]
        if status["description"] != f"commit {self.commit}":
            raise self._not_reported(f"the last report is of {status['description']}")
        if status["state"] != "success":
            raise self._not_reported(f"the report is {status['state']}")
        if not found["is_current"]:
            raise self._not_reported("the branch was changed after the report")

    def _not_reported(self, why: str) -> LakeError:
        return failed(
            f"{self.name} is not merged: it takes a report of success of commit {self.commit}, and {why}.",
            "Run the programs of this commit again, and report.",
            code="NOT_REPORTED",
        )

    def _drop(self) -> None:
        try:
            self.branch.drop()
        except NotFound:
            return


def refused_text(error: LakeError) -> str:
    """What a refusal of a merge says in a comment: each conflict, or what people have to do."""
    lines = [error.detail]
    if isinstance(error, ConflictError):
        lines += [f"{conflict.object}: {conflict.message}" for conflict in error.conflicts]
    if isinstance(error, WaitsForPeople):
        lines += [str(blocker["message"]) for blocker in error.problem.get("blockers") or ()]
    return "\n".join([*lines, str(error.problem.get("remedy") or "")]).rstrip()
