"""docs/reference/rights.md, made of the table of rights."""

from __future__ import annotations

from collections.abc import Iterator

from catalog_app.domain.roles import RIGHTS, Standing
from lakeui.reference.markdown import code, page, table

HEAD = """# Rights

What each action takes. [Roles](roles.md) explains roles and tokens.

- **Role**: the least role in the catalog. A role may do all that the roles before it may.
- **Scope**: what a token has to have. Every token may read.
- **Standing**: what the person has to be on the server.
"""


def rights_page() -> str:
    return page(_lines())


def _lines() -> Iterator[str]:
    yield HEAD
    yield from table(
        ["to", "role", "scope", "standing"],
        (
            [right.does, right.role.value if right.role else "–", code(right.scope.value), _standing(right.standing)]
            for right in RIGHTS.values()
        ),
    )


def _standing(standing: Standing) -> str:
    return "–" if standing is Standing.PERSON else standing.value
