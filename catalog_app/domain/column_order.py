"""The order of a table's columns as a fact: branches that know the same facts show the same order.

The fact ``order`` names columns by id. It is written where columns are put elsewhere than at the end. Columns that it
does not name follow, the oldest first; without one, that is the order of their additions.

Example: one branch adds ``a``, another one then adds ``b``. After merges both ways, both show ``id, a, b``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from catalog_app.domain.schema import Column, Schema

ORDER = "order"


def in_order(columns: Iterable[Column], said: Sequence[int] | None) -> tuple[Column, ...]:
    """The columns in the order that a fact says, None: that there is no fact. Any id of a column names it."""
    by_age = sorted(columns, key=lambda column: min(column.ids))
    by_id = {i: column for column in by_age for i in column.ids}
    named = {by_id[i].id: by_id[i] for i in said or () if i in by_id}
    return (*named.values(), *(column for column in by_age if column.id not in named))


def is_in_order(schema: Schema, said: Sequence[int] | None) -> bool:
    return schema.columns == in_order(schema.columns, said)


def order_set(before: Schema, after: Schema) -> list[int] | None:
    """The order that a change says, as the fact's value; None where columns that came stand at the end and no other
    one moved.
    """
    ids = [column.id for column in after.columns]
    kept = [column.id for column in before.columns if column.id in set(ids)]
    came = sorted(set(ids) - set(kept))
    newest = max((i for column in before.columns for i in column.ids), default=0)
    is_said = ids != [*kept, *came] or (came and came[0] < newest)
    return ids if is_said else None
