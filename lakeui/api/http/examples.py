"""A body for each operation that takes one, as the OpenAPI document shows it; of the demo lake where that can be."""

from __future__ import annotations

from typing import Any

_FINGERPRINT = "5b0f7c1d9e2a4f6880c3d1b7a4e9f2c6d8b1a3e5f7092b4d6c8e0f1a2b3c4d5e"
_NO_LATE_NULLS = "SELECT * FROM flights.flights WHERE carrier IS NULL"

BODIES: dict[str, dict[str, Any]] = {
    "sample_load": {"sample": "shop"},
    "import_reread": {"header": True, "delimiter": ";", "null_text": "NA", "numbers": "1.234,5", "dates": "d.m.y"},
    "import_load": {"database": "flights", "table": "reasons", "mode": "append"},
    "check_create": {"name": "known carriers", "query": _NO_LATE_NULLS, "is_required": True},
    "check_change": {
        "template": "not_null",
        "parameters": {"table": "flights.flights", "column": "carrier", "rows": "changed"},
    },
    "check_import": {
        "text": "models:\n  - name: airlines\n    columns:\n      - {name: carrier, data_tests: [unique, not_null]}\n",
        "database": "flights",
        "dry_run": True,
    },
    "member_add": {"username": "erin", "role": "reviewer"},
    "member_change": {"role": "maintainer"},
    "merge_request_open": {
        "source": "delays",
        "destination": "main",
        "title": "Why flights are late",
        "description": "Adds **delay_reason**.",
        "labels": ["weekly"],
        "reviewers": ["erin"],
    },
    "merge_request_edit": {"title": "Why flights are late, by carrier", "state": "open"},
    "comment_add": {"body": "Are these `late` too?", "object_kind": "table", "object_id": 1},
    "comment_edit": {"body": "Are these *very* late too?"},
    "merge_request_merge": {"fingerprint": _FINGERPRINT},
    "resolution_set": {
        "object_kind": "table",
        "object_id": 1,
        "decision": "destination",
        "source_head": 15,
        "destination_head": 16,
    },
    "resolution_set_many": {
        "source_head": 15,
        "destination_head": 16,
        "decisions": [
            {"object_kind": "table", "object_id": 1, "part": "row", "part_key": '{"id":5}', "decision": "source"},
            {"object_kind": "table", "object_id": 1, "part": "row", "part_key": '{"id":6}', "decision": "destination"},
        ],
    },
    "merge_request_status": {
        "context": "ci/tests",
        "state": "success",
        "source_head": 15,
        "description": "12 tests passed",
        "target_url": "https://ci.example.org/runs/7",
    },
    "suggestions_apply": {"comments": [12, 15]},
    "review_submit": {"verdict": "approve", "fingerprint": _FINGERPRINT, "body": "As we said."},
    "pipeline_policy_set": {"strict": True},
    "saved_query_add": {"name": "Late flights", "text": "SELECT * FROM flights.flights WHERE dep_delay > 60"},
    "saved_query_change": {"is_shared": True},
    "protection_rule_add": {
        "pattern": "release/*",
        "required_approvals": 2,
        "required_statuses": ["ci/tests"],
        "policies": [{"name": "small", "tables": ["sales.*"], "operations": ["insert", "update"], "max_rows": 1000}],
        "owners": [{"pattern": "sales.*", "people": ["ada"]}, {"pattern": "sales.drafts"}],
        "require_owner_approval": True,
    },
    "protection_rule_change": {"required_approvals": 1},
    "restriction_add": {
        "database": "people",
        "table": "customers",
        "role": "contributor",
        "row_filter": "region = 'EU'",
        "masks": {"email": "sha2(email, 256)"},
    },
    "restriction_preview": {
        "database": "people",
        "table": "customers",
        "role": "contributor",
        "row_filter": "region = 'EU'",
    },
    "restriction_change": {"masks": {"email": "NULL"}},
    "catalog_settings_change": {"merge_conflicts": "row"},
    "catalog_create": {"name": "sales", "comment": "Orders of all shops"},
    "branch_create": {"name": "fix", "parent": "main"},
    "branch_rename": {"name": "fix/carriers"},
    "catalog_rename": {"name": "flights_2027"},
    "catalog_undrop": {"name": "demo_again"},
    "tag_rename": {"name": "release-1"},
    "branch_reset": {"dry_run": True},
    "database_create": {"name": "staging", "comment": "As it came", "properties": {"owner": "ada"}},
    "database_rename": {"name": "landing"},
    "merge_create": {
        "source": "delays",
        "destination": "main",
        "decisions": [{"database": "flights", "table": "flights", "decision": "both"}],
        "dry_run": True,
    },
    "restore_create": {"branch": "main", "database": "flights", "table": "airlines", "version": 12},
    "undrop_create": {"branch": "main", "database": "flights", "table": "airlines"},
    "tag_create": {"name": "january", "branch": "main", "version": 12},
    "webhook_create": {"url": "https://example.org/hooks/lake", "events": ["merge_request", "merge"]},
    "webhook_change": {"is_active": False},
    "account_mail_change": {
        "address": "ada@example.org",
        "events": ["review_asked", "request_merged"],
        "chat_events": ["pipeline_failed"],
    },
    "account_mail_test": {"channel": "chat"},
    "markdown_preview": {"text": "From **delays**."},
    "pipeline_create": {
        "catalog": "demo",
        "name": "Delays by carrier",
        "database": "flights",
        "table": "delays_by_carrier",
        "source": "SELECT carrier, avg(dep_delay) AS delay FROM flights.flights GROUP BY carrier",
    },
    "pipeline_edit": {"layer": "gold"},
    "landing_file_edit": {"state": "waiting"},
    "pipeline_validate": {
        "catalog": "demo",
        "source": "SELECT carrier FROM flights.flights",
        "config": "merge_strategy: append_only\n",
    },
    "pipeline_render": {
        "catalog": "demo",
        "database": "flights",
        "table": "delays_by_carrier",
        "source": "SELECT carrier, avg(dep_delay) AS delay FROM {{ source('flights', 'flights') }} GROUP BY carrier",
    },
    "pipeline_run": {"dry_run": True, "source": "SELECT carrier FROM flights.flights"},
    "pipeline_dry_run": {"source": "SELECT carrier FROM flights.flights"},
    "sql_run": {
        "statement": "SELECT count(*) FROM flights.flights WHERE carrier = :carrier",
        "parameters": {"carrier": "UA"},
        "catalog": "demo",
        "branch": "main",
    },
    "sql_script_run": {
        "script": "CREATE BRANCH nightly;\nUSE BRANCH nightly;\nDELETE FROM flights.flights WHERE carrier = :carrier;",
        "parameters": {"carrier": "UA"},
        "catalog": "demo",
    },
    "result_make": {
        "catalog": "demo",
        "branch": "main",
        "statement": "SELECT * FROM flights.flights WHERE carrier = :carrier ORDER BY flight",
        "parameters": {"carrier": "UA"},
    },
    "session_open": {"catalog": "demo", "branch": "delays", "database": "flights"},
    "person_invite": {"username": "grace", "first_name": "Grace", "email": "grace@example.org"},
    "person_change": {"is_active": False},
    "password_change": {"present": "the one so far", "new": "correct horse battery staple"},
    "group_add": {"name": "analysts"},
    "group_role_add": {"group": "analysts", "role": "contributor"},
    "group_role_change": {"role": "viewer"},
    "agent_create": {
        "name": "fixer",
        "model": "a language model",
        "purpose": "Corrects carrier codes",
        "catalogs": ["demo"],
        "tables": ["flights.airlines"],
        "statements": ["insert", "update"],
        "writes_per_hour": 100,
        "rows_per_hour": 10_000,
    },
    "agent_change": {"writes_per_hour": 20, "branch_days": 7},
    "agent_token_create": {"name": "at work", "expires_at": "2030-01-01T00:00:00Z"},
    "token_create": {
        "name": "nightly load",
        "expires_at": "2030-01-01T00:00:00Z",
        "scopes": ["read", "write"],
        "catalogs": ["demo"],
    },
}
"""By operation id."""


def example_add(operation: dict[str, Any]) -> None:
    """Put the example into the operation's body of JSON, where it has one."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is not None and operation["operationId"] in BODIES:
        content["example"] = BODIES[operation["operationId"]]
