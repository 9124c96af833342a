"""A lake. Nothing is kept here: each call asks the server."""

from __future__ import annotations

import os
from typing import Any, Self

from lakeui_client.catalogs import Catalog
from lakeui_client.errors import failed
from lakeui_client.http import Http, Watcher, segment


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
