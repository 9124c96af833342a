"""docs/reference/rest.md, made of the OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lakeui.reference.markdown import code, page, table

HEAD = """# REST

Each operation of the HTTP interface. `/api/docs/` of a running lakeui shows bodies and answers. `/api/v1/schema/` is
the OpenAPI document, of which this page is made. [The client](client.md#rest) explains how statements and resources
correspond.

- **Who asks**: `Authorization: Bearer <token>`. *Settings* makes a token.
- **Lists** have `results` and `next`, the address of the next page.
- **`Idempotency-Key`** makes a change happen once within a week.
- **Longer work** is a task: 202 with its address. `Prefer: wait=30` waits for it.
- **`If-Match`** with the `ETag` that was read: 412 where it changed meanwhile.
- **Refusals** are [problem documents](errors.md).
"""
_METHODS = ("get", "post", "put", "patch", "delete")


def rest_page(document: Mapping[str, Any]) -> str:
    return page(_lines(document))


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    yield HEAD
    by_tag: dict[str, list[list[str]]] = {}
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if method in methods:
                operation = methods[method]
                row = [code(f"{method.upper()} {path}"), operation["summary"]]
                by_tag.setdefault(operation["tags"][0], []).append(row)
    for tag, rows in sorted(by_tag.items()):
        yield f"## {tag.replace('-', ' ').capitalize()}"
        yield ""
        yield from table(["operation", "does"], rows)
