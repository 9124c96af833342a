"""Templates rendered in a process of their own, which may use so much time and memory and no more.

Jinja's sandbox keeps a template from reaching out. It cannot keep one from counting for hours or from doubling a text
until memory ends. The operating system can.
"""

from __future__ import annotations

import contextlib
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

from merge_app.pipelines.definition.mistakes import SOURCE, InvalidConfig, Mistake, refuse
from merge_app.pipelines.definition.templates import Surroundings, template_render

WALL_SECONDS = 10.0
PROCESSOR_SECONDS = 2
MEMORY_BYTES = 512 * 1024 * 1024
_ROOT = Path(__file__).resolve().parents[2]


def bounded_render(source: str, surroundings: Surroundings) -> str:
    """The SQL that the source makes. Raises InvalidConfig, also for a template that takes too much."""
    request = json.dumps({"source": source, "surroundings": surroundings.as_json()})
    command = [sys.executable, "-m", __name__]
    try:
        done = subprocess.run(
            command,
            input=request,
            capture_output=True,
            encoding="utf-8",
            timeout=WALL_SECONDS,
            cwd=_ROOT,
            # Not the worker's, which holds addresses and secrets.
            env={"PYTHONUTF8": "1"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        done = None
    if done is None or done.returncode != 0:
        remedy = "Make its loops and its texts shorter."
        refuse([Mistake(SOURCE, None, "The template takes more time or memory than a template may.", remedy)])
    assert done is not None
    answer = json.loads(done.stdout)
    if "errors" in answer:
        raise InvalidConfig(answer["message"], remedy=answer["remedy"], errors=answer["errors"])
    return str(answer["sql"])


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    surroundings = Surroundings.from_json(request["surroundings"])
    try:
        return {"sql": template_render(str(request["source"]), surroundings)}
    except InvalidConfig as error:
        return {"message": error.message, "remedy": error.remedy, **error.details}


def _main() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))
    # Not every system knows a limit of addresses; the one of time holds everywhere.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    json.dump(_answer(json.load(sys.stdin)), sys.stdout)


if __name__ == "__main__":
    _main()
