"""A program for an orchestrator: ``orchestrated.py airflow|dagster`` prints what came of it as JSON.

``test_orchestrators.py`` runs it with the real library, or with the stand-in of its interface.
"""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace
from typing import Any

CHECKS = {"no_nameless": "SELECT id FROM d.t WHERE name IS NULL"}
INSERT = "INSERT INTO d.t VALUES (:id, :name)"


def failed(call: Any) -> str:
    try:
        call()
    except Exception as error:  # noqa: BLE001 - its name is the answer
        return type(error).__name__
    return "nothing"


def airflow() -> dict[str, Any]:
    from lakeui_client.airflow import LakeHook, LakePublishOperator

    def task(task_id: str, attempt: int = 1, map_index: int = -1) -> dict[str, Any]:
        ti = SimpleNamespace(
            dag_id="flights", run_id="manual__2026-01-01", task_id=task_id, try_number=attempt, map_index=map_index
        )
        return {"ti": ti}

    def operator(task_id: str, row: int, name: str | None, **given: Any) -> LakePublishOperator:
        parameters = {"id": row, "name": name}
        return LakePublishOperator(task_id=task_id, sql=INSERT, parameters=parameters, checks=CHECKS, **given)

    hook = LakeHook()
    first = operator("load", 10, "ten")
    answer = {
        "connection": hook.test_connection()[0],
        "elsewhere": LakeHook("lakeui_nowhere").test_connection()[0],
        "published": first.execute(task("load")),
        "again": first.execute(task("load", attempt=2)),
        "wrong": failed(lambda: operator("wrong", 11, None).execute(task("wrong"))),
        "request": operator("ask", 12, "twelve", publish="request", title="Twelve").execute(task("ask")),
        "templated": list(first.template_fields),
    }
    with hook.publish(task("mapped", map_index=3)) as run:
        run.sql(INSERT, {"id": 13, "name": "thirteen"})
    return answer | {"mapped": run.run}


def dagster() -> dict[str, Any]:
    import os

    from lakeui_client.dagster import LakeResource

    lake = LakeResource(
        url=os.environ["LAKEUI_URL"], token=os.environ["LAKEUI_TOKEN"], catalog=os.environ["LAKEUI_CATALOG"]
    )

    def step(key: str, retry: int = 0) -> Any:
        executed = SimpleNamespace(step=SimpleNamespace(key=key))
        return SimpleNamespace(
            job_name="flights", run_id="run-1", retry_number=retry, get_step_execution_context=lambda: executed
        )

    def load(key: str, row: int, name: str | None, retry: int = 0, **given: Any) -> dict[str, Any]:
        with lake.publish(step(key, retry), checks=CHECKS, **given) as run:
            run.sql(INSERT, {"id": row, "name": name})
        return run.outcome

    return {
        "connection": lake.get_catalog().get()["name"] == lake.catalog,
        "published": load("load", 10, "ten"),
        "again": failed(lambda: load("load", 10, "ten", retry=1)),
        "wrong": failed(lambda: load("wrong", 11, None)),
        "request": load("ask", 12, "twelve", publish="request", title="Twelve"),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps({"airflow": airflow, "dagster": dagster}[sys.argv[1]]()) + "\n")
