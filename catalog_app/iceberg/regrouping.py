"""Which manifests of a version stay in the next one, and between which files others are cut anew.

A chunk begins behind a file that ends one, or behind a chunk of the most files. So what is cut anew reaches from the
first manifest with a changed file to one whose last file ends a chunk, and comes out as if all files were cut.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from catalog_app.iceberg.manifest_lists import Key, StoredManifest
from catalog_app.iceberg.manifests import ListedDeletes, ListedFile, data_of, is_last

Range = tuple[Key, Key]
"""Keys from the first one on and below the second one."""
LOWEST: Key = (0, 0)
HIGHEST: Key = (2**62, 0)
Item = ListedFile | ListedDeletes
Load = Callable[[Key, Key], Sequence[Item]]
"""The items of one specification from a key on and below another one, in order."""


def changed_places(group: Sequence[StoredManifest], keys: Iterable[Key]) -> list[int]:
    """The places of the manifests, of one specification, that a changed file is or comes in."""
    firsts = [manifest.first for manifest in group]
    return sorted({max(0, bisect_right(firsts, key) - 1) for key in keys})


def range_of(group: Sequence[StoredManifest], place: int) -> Range:
    """The keys of all files that are or come in the manifest at that place."""
    low = group[place].first if place else LOWEST
    return low, group[place + 1].first if place + 1 < len(group) else HIGHEST


def regrouped(
    group: Sequence[StoredManifest], changed: Collection[int], load: Load
) -> Iterator[StoredManifest | list[Item]]:
    """In order the manifests that stay, and in place of others their items."""
    place = 0
    while place < len(group):
        if place not in changed:
            yield group[place]
            place += 1
            continue
        items = list(load(*range_of(group, place)))
        place += 1
        while place < len(group) and (place in changed or (items and not is_last(data_of(items[-1]).file_id))):
            items += load(*range_of(group, place))
            place += 1
        yield items


def ranges_joined(ranges: Iterable[Range]) -> list[Range]:
    """The same keys in ranges of which no two meet."""
    found: list[Range] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return found
