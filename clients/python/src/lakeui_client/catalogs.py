"""A catalog, its branches and merge requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from lakeui_client.branch_statements import BranchStatements
from lakeui_client.errors import LakeError, Stale, failed
from lakeui_client.files import FileTable
from lakeui_client.http import Http, segment
from lakeui_client.values import Compared, Conflict, Diff, Merged, Rehearsal, Reset, Result, Undone


class Catalog:
    def __init__(self, http: Http, name: str) -> None:
        self.http, self.name = http, name
        self.path = f"/api/v1/catalogs/{segment(name)}/"

    def get(self) -> dict[str, Any]:
        found: dict[str, Any] = self.http.get(self.path)
        return found

    def rename(self, name: str) -> Catalog:
        """The catalog under its new name. The old one names nothing any more."""
        return Catalog(self.http, self.http.write("PATCH", self.path, {"name": name})["name"])

    def drop(self) -> None:
        """``Lake.undrop_catalog`` brings it back."""
        self.http.write("DELETE", self.path)

    def branches(self, **filters: Any) -> list[dict[str, Any]]:
        return self.http.pages(f"{self.path}branches/", **filters)

    def branch(
        self,
        name: str,
        *,
        from_: str | None = None,
        version: int | None = None,
        timestamp: str | None = None,
        expires: str | None = None,
        drop_at_end: bool = False,
    ) -> Branch:
        """The branch of that name; with ``from_`` a new one, which begins at the head of that branch, or at a version
        or time of it. ``expires``: in how long the new one is dropped (``7 days``), or when. In a ``with`` block it
        stays at the end, unless ``drop_at_end``: then it is dropped, however the block ends.
        """
        if from_ is None:
            if version is not None or timestamp is not None:
                raise failed("A version is given without the branch that it is of.", "Say from_ too.")
            if expires is not None:
                raise failed("An expiry is given without the branch to begin from.", "Say from_, or call set_expiry().")
            return Branch(self, name, drop_at_end=drop_at_end)
        body = {"name": name, "parent": from_, "version": version, "timestamp": timestamp, "expires": expires}
        made = self.http.write("POST", f"{self.path}branches/", body)
        return Branch(self, made["name"], drop_at_end=drop_at_end)

    def table(
        self, name: str, *, branch: str | None = None, tag: str | None = None, version: int | None = None
    ) -> FileTable:
        """A table of files that this process reads itself, as a branch (main), a tag or a version sees it now."""
        kinds = {"branch": branch, "tag": tag, "version": version}
        given = [f"{kind}:{said}" for kind, said in kinds.items() if said is not None]
        if len(given) > 1:
            raise failed("A table is one of a branch, a tag or a version.", "Say one of them.")
        return FileTable(self.http, self.name, name, given[0] if given else "branch:main")

    def undrop_branch(self, name: str, *, branch_id: int | None = None, as_: str = "") -> Branch:
        """Bring back the branch of that name that was dropped last, or the one of that id; ``as_`` another name."""
        chosen = {"id": str(branch_id or ""), "name": as_}
        body = {"branch": name, **{member: value for member, value in chosen.items() if value}}
        self.http.write("POST", f"{self.path}undrops/", body)
        return Branch(self, as_ or name)

    def tags(self, **filters: Any) -> list[dict[str, Any]]:
        return self.http.pages(f"{self.path}tags/", **filters)

    def create_tag(self, name: str, branch: str = "main", version: int | None = None) -> dict[str, Any]:
        body = {"name": name, "branch": branch, "version": version}
        made: dict[str, Any] = self.http.write("POST", f"{self.path}tags/", body)
        return made

    def rename_tag(self, name: str, new_name: str) -> dict[str, Any]:
        path = f"{self.path}tags/{quote(name)}/"
        renamed: dict[str, Any] = self.http.write("PATCH", path, {"name": new_name})
        return renamed

    def drop_tag(self, name: str) -> None:
        self.http.write("DELETE", f"{self.path}tags/{quote(name)}/")

    def queries(self, **filters: Any) -> list[dict[str, Any]]:
        """Saved queries: your own, and those that others share."""
        return self.http.pages(f"{self.path}queries/", **filters)

    def save_query(self, name: str, text: str, *, is_shared: bool = False) -> dict[str, Any]:
        body = {"name": name, "text": text, "is_shared": is_shared}
        made: dict[str, Any] = self.http.write("POST", f"{self.path}queries/", body)
        return made

    def change_query(self, query_id: int, **fields: Any) -> dict[str, Any]:
        """Another ``name`` or ``text``, or whether it ``is_shared``, of a query of your own."""
        changed: dict[str, Any] = self.http.write("PATCH", f"{self.path}queries/{query_id}/", fields, has_key=False)
        return changed

    def remove_query(self, query_id: int) -> None:
        self.http.write("DELETE", f"{self.path}queries/{query_id}/", has_key=False)

    def merges(self, **filters: Any) -> list[dict[str, Any]]:
        """Attempts to merge, newest first, with their ``status``."""
        return self.http.pages(f"{self.path}merges/", **filters)

    def revert(self, merge_id: str, *, bypass_reason: str = "") -> Undone:
        """Take a merge back as one unit."""
        return self.restored({"merge_id": merge_id, "bypass_reason": bypass_reason})

    def restored(self, body: Mapping[str, Any]) -> Undone:
        return undone_of(self.http.write("POST", f"{self.path}restores/", dict(body)))

    def merge_requests(self, **filters: Any) -> list[dict[str, Any]]:
        return self.http.pages(f"{self.path}merge-requests/", **filters)

    def merge_request(self, number: int) -> MergeRequest:
        return MergeRequest(self, number)

    def compare(self, source: str, destination: str) -> Diff:
        """What a merge of ``source`` into ``destination`` would meet."""
        path = f"{self.path}compare/{segment(source)}...{segment(destination)}/"
        first = page = self.http.get(path, limit=200)
        entries = list(page["results"])
        while page["next"]:
            page = self.http.follow(page["next"])
            if page["fingerprint"] != first["fingerprint"]:
                raise Stale(
                    {"code": "STALE", "detail": "A branch moved between two pages.", "remedy": "Compare again."}
                )
            entries += page["results"]
        raw = {**first, "results": entries, "next": None}
        names = (first["source"]["name"], first["destination"]["name"])
        objects = tuple(map(Compared.read, entries))
        return Diff(*names, first["mergeable"], first["is_empty"], first["fingerprint"], objects, raw)


class Branch(BranchStatements):
    """A branch of a catalog, by its name."""

    def __init__(self, catalog: Catalog, name: str, *, drop_at_end: bool = False) -> None:
        self.catalog, self.name, self.http = catalog, name, catalog.http
        self.catalog_name = catalog.name
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

    def rehearse(
        self, into: str | None = None, *, decisions: Sequence[Mapping[str, Any]] = (), resolve: str = ""
    ) -> Rehearsal:
        """A dry run of the merge: whatever it finds is the answer, and nothing is changed."""
        body = self._merge(into, decisions, resolve) | {"dry_run": True}
        raw = self.http.write("POST", f"{self.catalog.path}merges/", body)
        conflicts = tuple(map(Conflict.read, raw["conflicts"]))
        return Rehearsal(raw["mergeable"], conflicts, raw["fingerprint"], raw["merge_id"], raw)

    def merge(
        self,
        into: str | None = None,
        *,
        decisions: Sequence[Mapping[str, Any]] = (),
        resolve: str = "",
        bypass_reason: str = "",
        message: str = "",
    ) -> Merged:
        """Merge this branch. Raises ConflictError with every conflict, WaitsForPeople where a protection asks for a
        merge request; neither branch is changed then. ``resolve``: decisions as a refusal names them, such as
        ``TABLE d.t KEEP BOTH``; ``decisions``: the same as REST has them. ``message``: what the
        history says of the commit.
        """
        given = {"bypass_reason": bypass_reason, "message": message}
        body = self._merge(into, decisions, resolve) | {name: value for name, value in given.items() if value}
        raw = self.http.write("POST", f"{self.catalog.path}merges/", body)
        return Merged(raw["merge_id"], raw["outcome"], raw["version"], raw["fingerprint"], raw)

    def _merge(self, into: str | None, decisions: Sequence[Mapping[str, Any]], resolve: str) -> dict[str, Any]:
        body: dict[str, Any] = {"source": self.name, "destination": self._destination(into)}
        given = {"decisions": [dict(item) for item in decisions], "resolve": resolve}
        return body | {name: value for name, value in given.items() if value}

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


class MergeRequest:
    """A merge request of a catalog, by its number."""

    def __init__(self, catalog: Catalog, number: int) -> None:
        self.catalog, self.number, self.http = catalog, number, catalog.http
        self.path = f"{catalog.path}merge-requests/{number}/"

    def get(self) -> dict[str, Any]:
        """What it is now: ``state``, ``votes``, ``blockers``."""
        found: dict[str, Any] = self.http.get(self.path)
        return found

    def diff(self) -> Diff:
        found = self.get()
        source = found["source"]["name"]
        if found["source"]["catalog"] != found["destination"]["catalog"]:
            source = f"{found['source']['catalog']}.{source}"
        return self.catalog.compare(source, found["destination"]["name"])

    def approve(self, fingerprint: str | None = None, body: str = "", *, spot_code: str = "") -> dict[str, Any]:
        """Approve exactly the plan of ``fingerprint``, which a comparison gives; without it the plan as it is now.
        ``spot_code``: that of the request, where a policy drew rows that you looked at.
        """
        return self.review("approve", body, fingerprint or self.diff().fingerprint, spot_code)

    def request_changes(self, body: str) -> dict[str, Any]:
        return self.review("request_changes", body)

    def review(self, verdict: str, body: str = "", fingerprint: str = "", spot_code: str = "") -> dict[str, Any]:
        said = {"fingerprint": fingerprint, "spot_code": spot_code}
        given = {"verdict": verdict, "body": body} | {name: text for name, text in said.items() if text}
        made: dict[str, Any] = self.http.write("POST", f"{self.path}reviews/", given)
        return made

    def merge(self, fingerprint: str = "", *, bypass_reason: str = "") -> Merged:
        """Merge it. Raises WaitsForPeople where something blocks it, ConflictError for open conflicts."""
        given = {"fingerprint": fingerprint, "bypass_reason": bypass_reason}
        raw = self.http.write("POST", f"{self.path}merge/", {name: value for name, value in given.items() if value})
        return Merged(raw["merge_id"], raw["outcome"], raw["version"], raw["fingerprint"], raw)

    def close(self) -> None:
        self.http.write("PATCH", self.path, {"state": "closed"}, has_key=False)


def undone_of(raw: dict[str, Any]) -> Undone:
    return Undone(raw["audit_id"], raw["outcome"], raw["version"], raw)
