"""A lake and its catalogs. Nothing is kept here: each call asks the server."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

from lakeui_client.branches import Branch, undone_of
from lakeui_client.errors import Stale, failed
from lakeui_client.files import FileTable
from lakeui_client.http import Http, Watcher, segment
from lakeui_client.merge_requests import MergeRequest
from lakeui_client.values import Compared, Diff, Undone

if TYPE_CHECKING:
    pass


class Lake:
    """A server. ``url`` and ``token`` are those of ``LAKEUI_URL`` and ``LAKEUI_TOKEN`` where they are not given."""

    def __init__(
        self, url: str | None = None, token: str | None = None, *, timeout: float = 300, watch: Watcher | None = None
    ) -> None:
        url = url or os.environ.get("LAKEUI_URL") or "http://127.0.0.1:8000"
        token = token or os.environ.get("LAKEUI_TOKEN")
        if not token:
            raise failed("There is no access token.", "Set LAKEUI_TOKEN, or run: lake login", code="UNAUTHENTICATED")
        self.http = Http(url, token, timeout=timeout, watch=watch)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def catalogs(self) -> list[dict[str, Any]]:
        return self.http.pages("/api/v1/catalogs/")

    def catalog(self, name: str) -> Catalog:
        return Catalog(self.http, name)

    def create_catalog(self, name: str, comment: str = "") -> Catalog:
        made = self.http.write("POST", "/api/v1/catalogs/", {"name": name, "comment": comment})
        return Catalog(self.http, made["name"])

    def dropped_catalogs(self) -> list[dict[str, Any]]:
        """Catalogs that ``undrop_catalog`` can bring back, the last dropped first."""
        found: dict[str, Any] = self.http.get("/api/v1/dropped-catalogs/")
        return list(found["results"])

    def undrop_catalog(self, name: str, *, catalog_id: int | None = None, as_: str = "") -> Catalog:
        """Bring back the catalog of that name that was dropped last, or the one of that id; ``as_`` another name."""
        ids = (item["catalog_id"] for item in self.dropped_catalogs() if item["name"].casefold() == name.casefold())
        chosen = catalog_id if catalog_id is not None else next(ids, None)
        if chosen is None:
            raise failed(f"There is no dropped catalog {name}.", "dropped_catalogs() lists them.")
        path = f"/api/v1/dropped-catalogs/{chosen}/undrop/"
        return Catalog(self.http, self.http.write("POST", path, {"name": as_})["catalog"])

    def record(self, merge_id: str) -> dict[str, Any]:
        """The audit record of a merge, a restore, or another attempt."""
        found: dict[str, Any] = self.http.get(f"/api/v1/merges/{segment(merge_id)}/")
        return found

    def records(self, **filters: Any) -> list[dict[str, Any]]:
        """Audit records, newest first; ``filters`` as of ``GET /api/v1/merges/``, with ``limit``."""
        return self.http.pages("/api/v1/merges/", **filters)

    def statements(self, **filters: Any) -> list[dict[str, Any]]:
        """Statements that you ran, newest first; ``filters`` as of ``GET /api/v1/statements/``, with ``limit``."""
        return self.http.pages("/api/v1/statements/", **filters)

    def remove_statement(self, statement_id: int) -> None:
        self.http.write("DELETE", f"/api/v1/statements/{statement_id}/", has_key=False)

    def remove_statements(self, **filters: Any) -> None:
        """Remove those of your statements that the filters choose; without filters all."""
        self.http.write("DELETE", "/api/v1/statements/", has_key=False, **filters)


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
