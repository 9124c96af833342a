"""Who edits something names what they saw of it; an edit of what somebody else has changed meanwhile is refused."""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.api.http.docs import openapi_document
from tests.rights.test_every_resource import CATALOG, QUERY, REQUEST, RESTRICTION, WEBHOOK, Scene, scene

__all__ = ["scene"]

RULE = CATALOG + "protection-rules/{rule_id}/"
MEMBER = CATALOG + "members/{username}/"
EDITS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    RULE: ({"required_approvals": 2}, {"required_approvals": 3}),
    MEMBER: ({"role": "viewer"}, {"role": "maintainer"}),
    CATALOG + "groups/{group}/": ({"role": "maintainer"}, {"role": "viewer"}),
    CATALOG + "checks/{name}/": ({"is_required": True}, {"query": "SELECT * FROM d.t WHERE id < 0"}),
    RESTRICTION: ({"masks": {"v": "NULL", "w": "NULL"}}, {"masks": {"w": "NULL"}}),
    WEBHOOK: ({"is_active": False}, {"events": ["merge_request"]}),
    QUERY: ({"text": "SELECT 2"}, {"is_shared": False}),
    REQUEST: ({"title": "Better"}, {"title": "Best"}),
}
"""What the first and the second person want of each resource."""


def answered(scene: Scene, method: str, path: str, body: Any = None, **headers: str) -> Any:
    return scene.person.send(method, path.format(**scene.names), body, **headers)


@pytest.mark.parametrize("path", EDITS)
def test_a_second_edit_needs_a_new_read(scene: Scene, path: str) -> None:
    scene.person.become("owner")
    first, second = EDITS[path]
    seen = answered(scene, "get", path)["ETag"]
    assert answered(scene, "patch", path, first, **{"If-Match": seen}).status_code == 200
    now = answered(scene, "get", path)
    refused = answered(scene, "patch", path, second, **{"If-Match": seen})
    assert (refused.status_code, refused.json()["code"]) == (412, "STALE")
    assert answered(scene, "get", path).json() == now.json()
    assert answered(scene, "patch", path, second, **{"If-Match": now["ETag"]}).status_code == 200


@pytest.mark.parametrize("path", EDITS)
@pytest.mark.parametrize(
    "form",
    [
        "W/{tag}",
        '{inside}-gzip"',
        'W/{inside}-gzip"',
        '{inside}-br"',
        '{inside};zstd"',
        '{inside}--gzip"',
        "{tag}-gzip",
        '"another, with a comma", {tag}',
    ],
)
def test_weak_tags_of_proxies_are_taken(scene: Scene, path: str, form: str) -> None:
    scene.person.become("owner")
    first, second = EDITS[path]
    seen = answered(scene, "get", path)["ETag"]
    sent = form.format(tag=seen, inside=seen.removesuffix('"'))
    assert answered(scene, "get", path, **{"If-None-Match": sent}).status_code == 304
    assert answered(scene, "patch", path, first, **{"If-Match": sent}).status_code == 200
    assert answered(scene, "patch", path, second, **{"If-Match": sent}).status_code == 412


@pytest.mark.parametrize("path", EDITS)
@pytest.mark.parametrize("sent", ['{inside}x"', '{inside}-gzip-x"', "no tag", '"', "w/{tag}"])
def test_what_is_no_tag_of_resource_changes_nothing(scene: Scene, path: str, sent: str) -> None:
    scene.person.become("owner")
    tag = answered(scene, "get", path)["ETag"]
    sent = sent.format(tag=tag, inside=tag.removesuffix('"'))
    assert answered(scene, "patch", path, EDITS[path][0], **{"If-Match": sent}).status_code in (400, 412)
    assert answered(scene, "get", path)["ETag"] == tag


@pytest.mark.parametrize("path", [RULE, MEMBER])
def test_what_changed_since_reading_is_not_removed(scene: Scene, path: str) -> None:
    scene.person.become("owner")
    seen = answered(scene, "get", path)["ETag"]
    answered(scene, "patch", path, EDITS[path][0])
    assert answered(scene, "delete", path, **{"If-Match": seen}).status_code == 412
    now = answered(scene, "get", path)["ETag"]
    assert answered(scene, "delete", path, **{"If-Match": now}).status_code == 204


def test_every_resource_that_people_share_takes_if_match() -> None:
    document = openapi_document()["paths"]
    edited = {
        path
        for path, item in document.items()
        if path.startswith(CATALOG) and "patch" in item and "get" in item and "{" in path.removeprefix(CATALOG)
    }
    taking = {
        path
        for path in edited
        if "If-Match" in [parameter["name"] for parameter in document[path]["patch"]["parameters"]]
    }
    # What is only renamed is not found by its old name: tests/api/branches/test_resource_writes.py. A file that waits,
    # and a comment, are their owner's alone.
    renamed = {
        CATALOG + "branches/{branch}/",
        CATALOG + "branches/{branch}/databases/{database}/",
        CATALOG + "tags/{tag}/",
    }
    assert taking == EDITS.keys() | renamed
    assert not {path for path in edited - taking if "comments" not in path and "imports" not in path}
