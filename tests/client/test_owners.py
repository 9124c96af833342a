"""``lake`` for who owns a catalog: protection, groups, settings and webhooks."""

from __future__ import annotations

import pytest

from tests.client.test_command import Call, document, lake

__all__ = ["lake"]


def test_a_required_status_holds_back_a_merge(lake: Call) -> None:
    made = document(lake, "protect", "main", "--approvals", "0", "--status", "ci/tests")
    assert (made["required_approvals"], made["required_statuses"]) == (0, ["ci/tests"])
    document(lake, "branch", "fix", "--from", "main")
    lake("sql", "INSERT INTO d.t VALUES (3, 'c')", "-b", "fix")
    lake("request", "open", "One row", "--source", "fix", "--into", "main")
    refused = document(lake, "request", "merge", "1", status=3)
    assert "ci/tests" in str(refused)
    document(lake, "statuses", "1", "ci/tests", "failure")
    document(lake, "request", "merge", "1", status=3)
    document(lake, "statuses", "1", "ci/tests", "success")
    assert document(lake, "request", "merge", "1")["outcome"] == "merged"


def test_a_rule_is_made_changed_and_removed(lake: Call) -> None:
    assert "takes 2 approvals and the role maintainer" in lake("protect", "release/*", "--approvals", "2")[1]
    changed = document(lake, "protect", "release/*", "--role", "owner", "--set", '{"allow_bypass": false}')
    assert (changed["required_approvals"], changed["merge_role"], changed["allow_bypass"]) == (2, "owner", False)
    assert document(lake, "protect", "RELEASE/*") == changed
    assert [rule["pattern"] for rule in document(lake, "protect")] == ["release/*"]
    assert document(lake, "protect", "release/*", "--set", '{"aprovals": 1}', status=1)["code"] == "INVALID_VALUE"
    assert document(lake, "protect", "release/*", "--remove") == {"removed": "release/*"}
    assert document(lake, "protect", "release/*", "--remove", status=1)["code"] == "NOT_FOUND"


def test_settings_are_shown_and_changed(lake: Call) -> None:
    assert document(lake, "settings")["settings"]["merge_conflicts"] == "file"
    assert document(lake, "settings", "--set", '{"merge_conflicts": "cell"}')["settings"]["merge_conflicts"] == "cell"
    assert "merge_conflicts" in lake("settings")[1]
    assert document(lake, "settings", "--pipelines", '{"nothing": 1}', status=1)["code"] == "INVALID_VALUE"


def test_webhooks_are_added_listed_and_removed(lake: Call) -> None:
    made = document(lake, "webhooks", "--create", "https://93.184.216.34/x", "--event", "merge", "--form", "chat")
    assert (made["events"], made["form"]) == (["merge"], "chat")
    assert "https://93.184.216.34/x" in lake("webhooks")[1]
    assert document(lake, "webhooks", "--sent", str(made["id"])) == []
    refused = document(lake, "webhooks", "--create", "https://93.184.216.34/x", "--event", "merj", status=1)
    assert refused["code"] == "INVALID_VALUE"
    assert document(lake, "webhooks", "--remove", str(made["id"])) == {"removed": made["id"]}
    assert document(lake, "webhooks") == []


@pytest.mark.parametrize("role", ["reviewer", "owner"])
def test_groups_need_the_staff_to_be_made(lake: Call, role: str) -> None:
    assert document(lake, "groups", "--create", "flyers", status=1)["code"] == "PERMISSION_DENIED"
    assert document(lake, "groups", "--add", "flyers", "--role", role, status=1)["code"] == "NOT_FOUND"
    assert document(lake, "groups") == []
