"""What Airflow asks a provider for. It is read before Airflow is ready, so it imports nothing."""

from __future__ import annotations

from typing import Any


def get_provider_info() -> dict[str, Any]:
    return {
        "package-name": "lakeui-client",
        "name": "lakeui",
        "description": "Branches, checks and merges of a lakeui server.",
        "connection-types": [{"connection-type": "lakeui", "hook-class-name": "lakeui_client.airflow.LakeHook"}],
    }
