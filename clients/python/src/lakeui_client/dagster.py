"""Dagster: a resource whose runs write on a branch, check it, and publish it. Takes ``lakeui-client[dagster]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dagster import ConfigurableResource

from lakeui_client.lake import Lake
from lakeui_client.publishing import Publication

if TYPE_CHECKING:
    from lakeui_client.catalogs import Catalog


class LakeResource(ConfigurableResource):
    """A catalog of a server. ``token`` is best ``EnvVar("LAKEUI_TOKEN")``: Dagster shows no such value."""

    url: str
    token: str
    catalog: str

    def lake(self) -> Lake:
        return Lake(self.url, self.token)

    def get_catalog(self) -> Catalog:
        return self.lake().catalog(self.catalog)

    def publish(self, context: Any, **given: Any) -> Publication:
        """The step of ``context`` as a ``with`` block: its branch is named after job, run and step, and each retry is
        an attempt of it. ``given`` as of ``Publication``.
        """
        attempt = context.retry_number + 1
        return Publication(self.get_catalog(), _run(context), **{"attempt": attempt, **given})


def _run(context: Any) -> str:
    """A step of a partition has one, so its branch is another in each run."""
    step = context.get_step_execution_context().step
    return f"dagster/{context.job_name}/{context.run_id}/{step.key}"
