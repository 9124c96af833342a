"""``…/resolutions/batch/``: many decisions in one call, all or none, planned once."""

from __future__ import annotations

from typing import Any

import pytest

from merge_app.review import resolving
from merge_app.review.models import ConflictResolution, MergeRequest
from tests.api.sql.test_statements import problem
from tests.review.conftest import ReviewLake
from tests.review.test_resolutions import clash, key, lake, merged, object_id, rows

__all__ = ["clash", "lake"]
pytestmark = pytest.mark.usefixtures("local_worker")


def _send(lake: ReviewLake, *decisions: dict[str, Any], **heads: int) -> Any:
    table = object_id(lake, "main", "k")
    given = {
        "source_head": lake.branch("c").head_version,
        "destination_head": lake.branch("main").head_version,
        "decisions": [{"object_kind": "table", "object_id": table, "part": "row", **item} for item in decisions],
    }
    return lake.post("alice", "1/resolutions/batch/", {**given, **heads})


def _row(number: int, decision: str) -> dict[str, Any]:
    return {"part_key": key(number), "decision": decision}


def test_one_call_decides_many_rows_and_plans_once(
    lake: ReviewLake, clash: MergeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[Any] = []
    look = resolving.request_look
    monkeypatch.setattr(resolving, "request_look", lambda **given: looks.append(given) or look(**given))
    wanted = [_row(number, "source" if number % 2 else "destination") for number in (1, 2, 3, 4)]
    counts = lake.read("compare/c...main/?merge_request=1")["counts"]
    assert (counts["conflict"], counts["conflicts"], counts["conflicting_rows"]) == (1, 2, 4)
    answer = _send(lake, *wanted)
    assert answer.status_code == 201, answer.content
    assert lake.read("compare/c...main/?merge_request=1")["counts"]["conflicting_rows"] == 0
    reported = [
        (item["part_key"], item["decision"], item["object"], item["author"]) for item in answer.json()["results"]
    ]
    assert reported == [(item["part_key"], item["decision"], "d.k", "alice") for item in wanted]
    assert len(looks) == 1
    assert lake.detail(clash)["state"] == "open"
    assert sum(kind == "resolution" for kind, _, _ in lake.timeline(clash)) == 4
    merged(lake)
    assert rows(lake, table="d.k") == [(1, "source", 101), (2, "main", 12), (3, "source", 103), (4, "main", 14)]


def test_one_that_is_refused_refuses_them_all(lake: ReviewLake, clash: MergeRequest) -> None:
    first = _row(1, "source")
    problem(_send(lake, first, {"part": "property", "part_key": "k", "decision": "source"}), 422, "NO_OPEN_CONFLICT")
    problem(_send(lake, first, {**_row(2, "destination"), "confirm": 7}), 412, "STALE")
    twice = problem(_send(lake, first, _row(1, "destination")), 400, "INVALID_VALUE")
    assert key(1) in twice["detail"]
    unknown = problem(_send(lake, first, {**_row(2, "source"), "decisoin": "source"}), 400, "INVALID_VALUE")
    assert (unknown["field"], unknown["nearest"]) == ("decisions[1].decisoin", "decision")
    problem(_send(lake, first, source_head=1), 412, "STALE")
    problem(_send(lake), 400, "INVALID_VALUE")
    assert not ConflictResolution.objects.exists()
    assert "resolution" not in {kind for kind, _, _ in lake.timeline(clash)}
