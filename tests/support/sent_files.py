"""Files sent to be imported."""

from __future__ import annotations

from typing import Any

from tests.support.resource_lake import Lake


def imports(lake: Lake, branch: str = "main") -> str:
    return f"{lake.address}branches/{branch}/imports/"


def post(lake: Lake, file: bytes, name: str = "file", branch: str = "main") -> Any:
    """The answer to a file that is sent to be imported."""
    return sent(lake, imports(lake, branch), file, name)


def sent(lake: Lake, address: str, file: bytes, name: str = "file") -> Any:
    """The answer to a file as the body of a request."""
    return lake.caller.client.post(
        address,
        file,
        content_type="application/octet-stream",
        headers={**lake.caller.headers, "Content-Disposition": f'attachment; filename="{name}"'},
    )


def send(lake: Lake, file: bytes, name: str = "file") -> dict[str, Any]:
    """An import that must be taken."""
    response = post(lake, file, name)
    assert response.status_code == 201, response.content
    body: dict[str, Any] = response.json()
    return body


def reread(lake: Lake, import_id: str, changes: dict[str, Any]) -> Any:
    return lake.caller.client.patch(
        f"{imports(lake)}{import_id}/", changes, content_type="application/json", headers=lake.caller.headers
    )
