"""Airflow: a hook, and an operator that writes on a branch, checks it and publishes it.

Takes ``lakeui-client[airflow]``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from airflow.sdk import BaseHook, BaseOperator

from lakeui_client.errors import AlreadyPublished, LakeError, failed
from lakeui_client.lake import Lake
from lakeui_client.publishing import How, Publication, outcome_of

if TYPE_CHECKING:
    from lakeui_client.catalogs import Catalog


class LakeHook(BaseHook):
    """A connection of the type ``lakeui``: the address is its host, the token its password, the catalog its schema."""

    conn_name_attr = "lakeui_conn_id"
    default_conn_name = "lakeui_default"
    conn_type = "lakeui"
    hook_name = "lakeui"

    def __init__(self, lakeui_conn_id: str = default_conn_name, catalog: str | None = None, **given: Any) -> None:
        super().__init__(**given)
        self.lakeui_conn_id = lakeui_conn_id
        self._catalog = catalog

    @classmethod
    def get_ui_field_behaviour(cls) -> dict[str, Any]:
        return {
            "hidden_fields": ["login", "extra"],
            "relabeling": {"host": "Address", "password": "Access token", "schema": "Catalog"},
            "placeholders": {"host": "https://lake.example.com"},
        }

    def get_conn(self) -> Lake:
        found = self.get_connection(self.lakeui_conn_id)
        if not found.host:
            raise failed(f"Connection {self.lakeui_conn_id} has no host.", "Its host is the address of the server.")
        return Lake(_address(found.host, found.port), found.password)

    @property
    def catalog(self) -> Catalog:
        name = self._catalog or self.get_connection(self.lakeui_conn_id).schema
        if not name:
            raise failed(f"Connection {self.lakeui_conn_id} names no catalog.", "Its schema is the catalog.")
        return self.get_conn().catalog(name)

    def test_connection(self) -> tuple[bool, str]:
        try:
            self.catalog.get()
        except LakeError as refused:
            return False, str(refused)
        return True, "The server answers."

    def publish(self, context: Mapping[str, Any], **given: Any) -> Publication:
        """The run of this task as a ``with`` block: its branch is named after DAG, run and task, and each try of
        Airflow is an attempt of it. ``given`` as of ``Publication``.
        """
        task = context["ti"]
        return Publication(self.catalog, _run(task), **{"attempt": task.try_number, **given})


class LakePublishOperator(BaseOperator):
    """Runs statements on a branch of its own, then the checks, then publishes. The result is ``Publication.outcome``.

    A try after one that was published and could not say so answers what that one published, and writes nothing.
    """

    template_fields: Sequence[str] = ("sql", "parameters", "checks", "into", "title", "description")
    template_ext: Sequence[str] = (".sql",)
    template_fields_renderers: ClassVar[dict[str, str]] = {"sql": "sql", "checks": "json"}
    ui_color = "#d7ecff"

    def __init__(
        self,
        *,
        sql: str | Sequence[str],
        parameters: Mapping[str, Any] | None = None,
        checks: Mapping[str, str] | None = None,
        into: str = "main",
        publish: How = "merge",
        title: str = "",
        description: str = "",
        catalog: str | None = None,
        lakeui_conn_id: str = LakeHook.default_conn_name,
        **given: Any,
    ) -> None:
        super().__init__(**given)
        self.sql, self.parameters, self.checks = sql, parameters, checks
        self.into, self.publish, self.title, self.description = into, publish, title, description
        self.catalog, self.lakeui_conn_id = catalog, lakeui_conn_id

    def execute(self, context: Any) -> dict[str, Any]:
        statements = [self.sql] if isinstance(self.sql, str) else list(self.sql)
        hook = LakeHook(self.lakeui_conn_id, self.catalog)
        run = hook.publish(
            context,
            into=self.into,
            checks=self.checks,
            publish=self.publish,
            title=self.title,
            description=self.description,
        )
        try:
            with run:
                for statement in statements:
                    done = run.sql(statement, self.parameters)
                    self.log.info("%s: %s", statement, done)
        except AlreadyPublished as earlier:
            self.log.info("%s", earlier)
            return outcome_of(earlier)
        self.log.info("Published: %s", run.outcome)
        return run.outcome


def _address(host: str, port: int | None) -> str:
    address = host if "://" in host else f"http://{host}"
    return f"{address}:{port}" if port else address


def _run(task: Any) -> str:
    parts = ["airflow", task.dag_id, task.run_id, task.task_id]
    mapped = getattr(task, "map_index", -1)
    return "/".join([*parts, str(mapped)] if mapped is not None and mapped >= 0 else parts)
