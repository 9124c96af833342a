"""``…/rows/merge/``: rows and a key in one request. What becomes of the rows is in tests/on_spark and
tests/upsert.
"""

from __future__ import annotations

from typing import Any

import pytest

from catalog_app.models import FileImport
from merge_app.jobs.models import Task
from tests.api.conftest import Caller
from tests.api.rows.test_imports import CSV
from tests.api.sql.test_statements import problem
from tests.support.resource_lake import Lake

KEYED = "?strategy=upsert&key_columns=id"


@pytest.fixture
def lake(alice: Caller) -> Lake:
    return Lake(alice)


def merge(lake: Lake, file: bytes, query: str = KEYED, table: str = "t", **headers: str) -> Any:
    address = f"{lake.address}branches/main/databases/d/tables/{table}/rows/merge/{query}"
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lake.caller.client.post(
        address, file, content_type="application/octet-stream", headers={**lake.caller.headers, **named}
    )


@pytest.mark.usefixtures("no_worker")
def test_a_merge_is_a_task_stating_its_work(lake: Lake) -> None:
    query = f"{KEYED}&key_columns=name&dedup_by=id&schema_evolution=true"
    response = merge(lake, CSV, query, Prefer="respond-async", Content_Disposition='attachment; filename="people.csv"')
    assert response.status_code == 202, response.content
    task = Task.objects.get(kind="import")
    assert task.parameters["statement"] == "IMPORT people.csv INTO `d`.`t` UPSERT BY `id`, `name`"
    wanted = {"mode": "upsert", "key_columns": ["id", "name"], "dedup_by": ["id"], "schema_evolution": True}
    assert {name: task.parameters[name] for name in wanted} == wanted


@pytest.mark.usefixtures("no_worker")
def test_a_merge_takes_the_message_of_its_commit(lake: Lake) -> None:
    assert merge(lake, CSV, f"{KEYED}&message=people%20of%20May", Prefer="respond-async").status_code == 202
    assert Task.objects.get(kind="import").parameters["message"] == "people of May"
    refused = problem(merge(lake, CSV, f"{KEYED}&message=a%1Bb"), 400, "INVALID_VALUE")
    assert refused["field"] == "message"


@pytest.mark.usefixtures("no_worker")
def test_same_rows_under_one_key_merge_once(lake: Lake) -> None:
    first, again = (merge(lake, CSV, Prefer="respond-async", Idempotency_Key="k") for _ in range(2))
    assert first["Location"] == again["Location"]
    assert Task.objects.filter(kind="import").count() == 1
    problem(merge(lake, CSV + b"3,\n", Prefer="respond-async", Idempotency_Key="k"), 422, "IDEMPOTENCY_KEY_REUSED")


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("", "strategy"),
        ("?strategy=upsert", "key_columns"),
        ("?strategy=replace&key_columns=id", "replace"),
        (f"{KEYED}&schema_evolution=perhaps", "schema_evolution"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(lake: Lake, query: str, word: str) -> None:
    refusal = problem(merge(lake, CSV, query), 400, "INVALID_VALUE")
    assert word in str(refusal)
    assert (Task.objects.filter(kind="import").count(), FileImport.objects.count()) == (0, 0)


@pytest.mark.parametrize("file", [b'[{"id": 1, "V": 1, "v": 2}]', b"id,V,v\n1,1,2\n"])
def test_columns_differing_by_case_are_refused_by_name(lake: Lake, file: bytes) -> None:
    refusal = problem(merge(lake, file), 400, "INVALID_VALUE")
    assert (refusal["detail"], refusal["column"]) == (
        "The batch has the column v more than once; case makes no difference.",
        "v",
    )
    assert (Task.objects.filter(kind="import").count(), FileImport.objects.count()) == (0, 0)


def test_a_missing_table_or_bad_rows_leave_nothing(lake: Lake) -> None:
    problem(merge(lake, CSV, table="tt"), 404, "NOT_FOUND")
    problem(merge(lake, b""), 400, "INVALID_VALUE")
    problem(merge(lake, b"PAR1 and no end"), 400, "INVALID_VALUE")
    assert (Task.objects.filter(kind="import").count(), FileImport.objects.count()) == (0, 0)
