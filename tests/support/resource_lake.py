"""A lake for tests of the resources: real metadata, rows without files, no Spark."""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.api.conftest import Caller
from tests.benchmarks.metadata import Bench
from tests.support.members import join


class Lake(Bench):
    """A catalog with table d.t, seen by a caller of the interface."""

    def __init__(self, caller: Caller, segments: int = 1) -> None:
        super().__init__(segments)
        self.caller = caller
        join(caller.user, self.catalog)
        self.address = f"/api/v1/catalogs/{self.catalog}/"

    def get(self, path: str = "", **headers: str) -> Any:
        """The answer to GET of an address below the catalog's."""
        return self.caller.get(self.address + path, **headers)

    def read(self, path: str = "") -> Any:
        """The JSON of an answer that must be 200."""
        response = self.get(path)
        assert response.status_code == 200, response.content
        return response.json()

    def pages(self, path: str) -> list[list[Any]]:
        """The entries of a list, page by page."""
        found, address = [], self.address + path
        while address:
            response = self.caller.get(address)
            assert response.status_code == 200, response.content
            found.append(response.json()["results"])
            address = response.json()["next"]
        return found

    def queries(self, path: str) -> int:
        """How many statements the answer takes, those of signing in included."""
        self.read(path)
        with CaptureQueriesContext(connection) as captured:
            self.read(path)
        return len(captured)
