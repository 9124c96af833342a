"""A lake whose rows lie in no files: these tests are about what the catalog says, not about rows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Caller, alice, bob
from tests.support.resource_lake import Lake

__all__ = ["alice", "bob"]


class IcebergLake(Lake):
    """The lake at the addresses that engines ask."""

    def at(self, path: str, ref: str = "main", **headers: str) -> Any:
        return self.caller.get(f"/iceberg/{self.catalog}/{ref}/v1/{path}", **headers)

    def ask(self, path: str, ref: str = "main") -> Any:
        """The JSON of an answer that must be 200."""
        response = self.at(path, ref)
        assert response.status_code == 200, response.content
        return response.json()

    def error(self, path: str, status: int, ref: str = "main") -> dict[str, Any]:
        return refusal(self.at(path, ref), status)


def refusal(response: Any, status: int) -> dict[str, Any]:
    """The ErrorModel of an answer."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/json"
    error: dict[str, Any] = response.json()["error"]
    assert error["code"] == status
    assert error["stack"] == []
    return error


@pytest.fixture
def lake(alice: Caller) -> IcebergLake:
    return IcebergLake(alice)
