"""Each write of the HTTP interface that changes something leaves what it should in audit and timelines, and once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from django.db import transaction

from merge_app.audit.models import MergeAttempt
from merge_app.review.models import TimelineEntry
from merge_app.review.verification import audit_verify
from tests.rights.test_every_resource import (
    BRANCH,
    CATALOG,
    DECISION,
    DECISIONS,
    IMPORT,
    QUERY,
    REQUEST,
    STATUS,
    WEBHOOK,
    WRITES,
    Scene,
    decided_together,
    scene,
)

__all__ = ["scene"]

SETTING = {"settings": 1}
"""One audit record."""

RECORDED: dict[tuple[str, str], dict[str, int]] = {
    ("patch", CATALOG): SETTING,
    ("delete", CATALOG): SETTING,
    ("post", CATALOG + "members/"): SETTING,
    ("patch", CATALOG + "members/{username}/"): SETTING,
    ("delete", CATALOG + "members/{username}/"): SETTING,
    ("post", CATALOG + "groups/"): SETTING,
    ("patch", CATALOG + "groups/{group}/"): SETTING,
    ("delete", CATALOG + "groups/{group}/"): SETTING,
    ("post", CATALOG + "protection-rules/"): SETTING,
    ("patch", CATALOG + "protection-rules/{rule_id}/"): SETTING,
    ("delete", CATALOG + "protection-rules/{rule_id}/"): SETTING,
    ("post", CATALOG + "restrictions/"): SETTING,
    ("patch", CATALOG + "restrictions/{restriction_id}/"): SETTING,
    ("delete", CATALOG + "restrictions/{restriction_id}/"): SETTING,
    ("patch", CATALOG + "pipeline-policy/"): SETTING,
    ("patch", CATALOG + "settings/"): SETTING,
    ("post", CATALOG + "checks/"): SETTING,
    ("patch", CATALOG + "checks/{name}/"): SETTING,
    ("delete", CATALOG + "checks/{name}/"): SETTING,
    ("post", CATALOG + "dbt-tests/"): SETTING,
    ("post", CATALOG + "webhooks/"): SETTING,
    ("patch", WEBHOOK): SETTING,
    ("delete", WEBHOOK): SETTING,
    ("post", CATALOG + "merge-requests/"): {"opened": 1},
    ("patch", REQUEST): {"edited": 1},
    ("post", REQUEST + "comments/"): {"commented": 1},
    ("patch", REQUEST + "comments/{comment_id}/"): {"commented": 1},
    ("put", REQUEST + "comments/{comment_id}/resolved/"): {"commented": 1},
    ("delete", REQUEST + "comments/{comment_id}/"): {"commented": 1},
    ("post", REQUEST + "merge/"): {"state": 1},
    ("post", REQUEST + "queue/"): {"state": 1},
    # What was decided before does not hold, so that the approval does not either.
    ("post", REQUEST + "resolutions/"): {"resolution": 1, "state": 1},
    ("post", REQUEST + "resolutions/batch/"): {"resolution": 1, "state": 1},
    ("post", REQUEST + "statuses/"): {"status": 1},
    ("post", REQUEST + "reviews/"): {"reviewed": 1, "state": 1},
}
"""By write: kinds of the records and entries that it leaves."""

NOTHING_YET = {
    # A look, which changes nothing.
    ("post", CATALOG + "restrictions/preview/"),
    # Files that wait; loading them is a task, whose commit is history.
    ("post", CATALOG + "branches/{branch}/imports/"),
    ("patch", IMPORT),
    ("post", IMPORT + "load/"),
    ("delete", IMPORT),
    ("post", CATALOG + "branches/{branch}/databases/{database}/tables/{table}/rows/merge/"),
    # Tasks, which leave a record when they run.
    ("post", CATALOG + "merges/"),
    ("post", CATALOG + "restores/"),
    # Tags name versions, they change none.
    ("post", CATALOG + "tags/"),
    ("patch", CATALOG + "tags/{tag}/"),
    ("delete", CATALOG + "tags/{tag}/"),
    # Texts of a person, which change nothing of the catalog.
    ("post", CATALOG + "queries/"),
    ("patch", QUERY),
    ("delete", QUERY),
    # A task, which tells of itself when it has run.
    ("post", REQUEST + "checks/"),
    # A commit, where a comment suggests a value; this one suggests none.
    ("post", REQUEST + "suggestions/"),
    # Messages have a log of their own.
    ("post", WEBHOOK + "test/"),
    ("post", WEBHOOK + "deliveries/{delivery_id}/repeat/"),
    # Each is a commit or a change of a branch, which history and the list of branches tell.
    ("post", CATALOG + "branches/"),
    ("patch", BRANCH),
    ("delete", BRANCH),
    ("post", BRANCH + "databases/"),
    ("patch", BRANCH + "databases/{database}/"),
    ("delete", BRANCH + "databases/{database}/"),
    # The branch main has no parent; tests/in_memory/branches/test_resets.py looks at the record.
    ("post", BRANCH + "reset/"),
    # There is no such branch.
    ("post", CATALOG + "undrops/"),
    # Here there is nothing to take back.
    ("delete", REQUEST + "comments/{comment_id}/resolved/"),
    ("delete", REQUEST + "queue/"),
    ("delete", REQUEST + "resolutions/{resolution_id}/"),
}


def decision_of_a_property(scene: Scene) -> dict[str, Any]:
    """Both branches set it, so that there is something to decide."""
    scene.lake.write("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '2')", "dora")
    heads = {
        f"{side}_head": scene.lake.branch(name).head_version
        for side, name in (("source", "b"), ("destination", "main"))
    }
    return {**DECISION, **heads, "part": "property", "part_key": "k", "object_id": scene.lake.table_id}


def left_by(scene: Scene, method: str, template: str, body: Any) -> tuple[int, dict[str, int]]:
    """The answer, and what was recorded of it by kind; it is undone."""
    before = MergeAttempt.objects.count(), TimelineEntry.objects.count()
    catalog, given = scene.lake.branch("main").catalog, body
    with transaction.atomic():
        if body is DECISION:
            given = decision_of_a_property(scene)
        if body is DECISIONS:
            given = decided_together(decision_of_a_property(scene))
        if body is STATUS:
            given = {**STATUS, "source_head": scene.lake.branch("b").head_version}
        if isinstance(given, bytes):
            headers = {"content_type": "application/octet-stream", "headers": scene.person.headers}
            response = scene.person.client.post(template.format(**scene.names), given, **headers)
        else:
            response = scene.person.send(method, template.format(**scene.names), given)
        kinds = [*MergeAttempt.objects.order_by("recorded_at").values_list("kind", flat=True)[before[0] :]]
        kinds += TimelineEntry.objects.order_by("pk").values_list("kind", flat=True)[before[1] :]
        assert audit_verify(catalog) == []
        transaction.set_rollback(True)
    return response.status_code, dict(Counter(kinds))


def test_what_each_write_leaves(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("merge_app.webhooks.services._check", lambda url: None)
    scene.person.become("owner")
    found = {(method, path): left_by(scene, method, path, body) for _, method, path, body in WRITES}
    assert {key: found[key][1] for key in RECORDED} == RECORDED
    assert {key: found[key][0] for key in RECORDED if found[key][0] >= 300} == {}
    assert {key: left for key, (_, left) in found.items() if key in NOTHING_YET and left} == {}


def test_every_write_is_asked_about() -> None:
    assert {(method, path) for _, method, path, _ in WRITES} == RECORDED.keys() | NOTHING_YET
