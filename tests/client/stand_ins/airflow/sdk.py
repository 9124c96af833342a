"""What the client takes of ``airflow.sdk``, by the same names and arguments: for tests without Airflow."""

from __future__ import annotations

import json
import logging
import os
from typing import NamedTuple


class Connection(NamedTuple):
    host: str | None
    port: int | None
    password: str | None
    schema: str | None


class BaseHook:
    def __init__(self, logger_name: str | None = None) -> None:
        self.log = logging.getLogger(logger_name or __name__)

    @classmethod
    def get_connection(cls, conn_id: str) -> Connection:
        given = json.loads(os.environ[f"AIRFLOW_CONN_{conn_id.upper()}"])
        return Connection(*(given.get(name) for name in Connection._fields))


class BaseOperator:
    template_fields: tuple[str, ...] = ()

    def __init__(self, *, task_id: str, retries: int = 0) -> None:
        self.task_id, self.retries = task_id, retries
        self.log = logging.getLogger(__name__)
