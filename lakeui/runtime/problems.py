"""What can go wrong around the services: message and remedy, for a person at a terminal."""

from __future__ import annotations

from lakeui.common.errors import LakeError


class RuntimeProblem(LakeError):
    """A part of lakeui cannot run on this machine as it is. The message says what, the remedy what to do."""

    code, status, title = "RUNTIME_PROBLEM", 503, "A part of lakeui cannot run"


class Interrupted(Exception):
    """Someone asked the services to stop while they were starting."""
