"""The names of branches and tags."""

from __future__ import annotations

from catalog_app.domain.names import OTHER_LETTERS
from catalog_app.selectors.rows import fetch_all

_ALL = """
SELECT name FROM catalog_app_branch
WHERE catalog_id = %(catalog)s AND dropped_at IS NULL AND NOT is_workspace{also}
UNION ALL SELECT name FROM catalog_app_tag WHERE catalog_id = %(catalog)s{also}
"""
_QUERIES = {
    False: _ALL.replace("{also}", ""),
    # The condition of two indexes, which hold these names alone.
    True: _ALL.replace("{also}", f" AND name ~ '{OTHER_LETTERS}'"),
}


def names_list(catalog_id: int, *, of_other_letters: bool) -> list[str]:
    """The names of all branches that people see, and of all tags; or those alone that have letters beside ASCII's."""
    found = fetch_all(_QUERIES[of_other_letters], {"catalog": catalog_id}, prepared=True)
    return [name for (name,) in found]
