"""What the client takes of ``dagster``, by the same names and arguments: for tests without Dagster."""

from __future__ import annotations

from pydantic import BaseModel


class ConfigurableResource(BaseModel, frozen=True):
    pass
