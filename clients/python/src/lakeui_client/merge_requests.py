"""A merge request of a catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakeui_client.values import Diff, Merged

if TYPE_CHECKING:
    from lakeui_client.lake import Catalog


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
        """Merge it. Raises WaitsForPeople where something stands in its way, ConflictError for open conflicts."""
        given = {"fingerprint": fingerprint, "bypass_reason": bypass_reason}
        raw = self.http.write("POST", f"{self.path}merge/", {name: value for name, value in given.items() if value})
        return Merged(raw["merge_id"], raw["outcome"], raw["version"], raw["fingerprint"], raw)

    def close(self) -> None:
        self.http.write("PATCH", self.path, {"state": "closed"}, has_key=False)
