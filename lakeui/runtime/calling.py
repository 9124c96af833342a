"""How a command of lakeui is called here, and the refusal to start with settings that are wrong."""

from __future__ import annotations

import os
import sys
from pathlib import Path

BASE = Path(__file__).resolve().parents[2]
IN_REPOSITORY = (BASE / "manage.py").is_file()
SHOWN = "python manage.py" if IN_REPOSITORY else "lakeui"
"""How a person calls a command."""


def command_line(name: str) -> list[str]:
    """The program and arguments of a process that runs a command."""
    return [sys.executable, *([str(BASE / "manage.py")] if IN_REPOSITORY else ["-m", "lakeui"]), name]


def settings_require() -> None:
    """End this process with one sentence where the settings are wrong: for gunicorn and Celery, which would show a
    traceback.
    """
    from lakeui.common.errors import LakeError
    from lakeui.runtime.discovery import refuse_unfit_for_production
    from lakeui.runtime.environment import variables_read

    try:
        refuse_unfit_for_production(variables_read(os.environ))
    except LakeError as problem:
        sys.exit(f"{problem.message} {problem.remedy}".strip())
