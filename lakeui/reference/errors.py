"""docs/reference/errors.md, made of the classes of the errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module

from lakeui.api.http.errors import FRAMEWORK
from lakeui.common.errors import LakeError
from lakeui.common.problem import internal_problem
from lakeui.reference.markdown import code, page, table

HEAD = """# Errors

Every refusal is a problem document (RFC 9457) with the same fields on pages, in SQL, over HTTP and in the client:
`code`, `title`, `detail` (what and why), `remedy` (the way out) and `status`.
A code stays what it is; texts may change.

```json
{"code": "NOT_FOUND", "status": 404, "title": "Not found", "detail": "There is no table flight.",
 "remedy": "Did you mean flights?"}
```

- **4xx**: the request as it is will not succeed. Do what `remedy` says.
- **429 and 503** carry `Retry-After`, in seconds. Repeat the request then.
- **Idempotency-Key** makes a repeat safe, also where the answer was lost.
- **INTERNAL_ERROR** is a fault of lakeui. Its `error_id` stands in the log of the server.

A refused merge has `MERGE_CONFLICT`; its verdicts have codes of their own: [merge rules](merge-rules.md).
`TYPE_NARROWING` goes by [which type widens to which](sql.md#which-type-widens-to-which).
"""

_MODULES = (
    "catalog_app.services.results",
    "catalog_app.services.sessions",
    "lakeui.common.errors",
    "lakeui.iceberg.errors",
    "lakeui.runtime.problems",
    "merge_app.jobs.errors",
    "merge_app.jobs.request_work",
    "merge_app.pipelines.definition.mistakes",
    "merge_app.pipelines.errors",
    "merge_app.review.errors",
)
"""Where errors are declared."""


def errors_page() -> str:
    return page(_lines())


def _lines() -> Iterator[str]:
    yield HEAD
    yield from table(
        ["code", "status", "title", "when, and what else it holds"],
        ([code(error), str(status), title, does] for error, (status, title, does) in sorted(_codes().items())),
    )


def _codes() -> dict[str, tuple[int, str, str]]:
    """By code its status, its title and the docstring of the class that declares it."""
    away = internal_problem()
    found = {error: (status, title, remedy) for status, (error, title, remedy) in FRAMEWORK.items()}
    found[away["code"]] = (int(away["status"]), away["title"], "A fault of lakeui. Details: `error_id`.")
    for module in map(import_module, _MODULES):
        for kind in vars(module).values():
            is_error = isinstance(kind, type) and issubclass(kind, LakeError) and kind is not LakeError
            if is_error and "code" in vars(kind):
                found[kind.code] = (kind.status, kind.title, _text(kind.__doc__))
    return found


def _text(docstring: str | None) -> str:
    return re.sub(r"\s+", " ", docstring or "").replace("``", "`").strip()
