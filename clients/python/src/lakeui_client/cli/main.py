"""``lake``: a lakeui server from the command line.

Ends with 0 when it is done, 2 when a conflict refuses, 3 when people have to act first, 1 for anything else.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from lakeui_client.cli import place, show
from lakeui_client.cli.parser import parser_make
from lakeui_client.errors import ConflictError, LakeError, WaitsForPeople


class _Progress:
    """Says each step of a task once, on standard error."""

    def __init__(self) -> None:
        self._seen = 0

    def __call__(self, task: dict[str, Any]) -> None:
        for step in task["steps"][self._seen :]:
            detail = f": {show.safe(step['detail'])}" if step["detail"] else ""
            print(f"{step['name']}{detail}", file=sys.stderr)
        self._seen = len(task["steps"])


def run(arguments: Sequence[str]) -> int:
    if arguments and arguments[0] == "__complete":
        from lakeui_client.cli.completion import candidates

        print("\n".join(candidates(parser_make(), list(arguments[1:]))))
        return place.DONE
    given = parser_make().parse_args(arguments)
    as_json = getattr(given, "json", False)
    watch = _Progress() if getattr(given, "wait", False) else None
    try:
        said: place.Said = given.run(place.Place(given, watch), given)
    except LakeError as error:
        return _refused(error, as_json)
    except UnicodeDecodeError:
        return _refused(LakeError({"code": "FILE", "detail": "The file is no UTF-8 text."}), as_json)
    except BrokenPipeError:
        raise
    except OSError as error:
        return _refused(LakeError({"code": "FILE", "detail": f"{error.strerror}: {error.filename}"}), as_json)
    if said is not place.SILENT:
        print(json.dumps(said.document, ensure_ascii=False, indent=2) if as_json else said.text)
    return said.status


def _refused(error: LakeError, as_json: bool) -> int:
    """The status of a refusal, which stands in the one document, or on standard error."""
    if as_json:
        print(json.dumps(error.problem, ensure_ascii=False, indent=2))
    else:
        print(show.problem(error.problem), file=sys.stderr)
    if isinstance(error, ConflictError):
        return place.CONFLICT
    return place.WAITS if isinstance(error, WaitsForPeople) else place.FAILED


def main() -> int:
    try:
        return run(sys.argv[1:])
    except KeyboardInterrupt:
        print(
            "Stopped here. The server finishes what it began; lake audit or lake log shows the outcome.",
            file=sys.stderr,
        )
        return 130
    except BrokenPipeError:
        # Whoever read has seen enough. Python would complain of it once more when it ends.
        sys.stderr.close()
        return place.DONE


if __name__ == "__main__":
    sys.exit(main())
