"""Invariants of the metadata, and of the files on disk, that no constraint can hold alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

from catalog_app.domain.files import FileScan
from catalog_app.models import Branch, Catalog
from catalog_app.selectors.objects import databases_list, tables_list
from catalog_app.selectors.rows import fetch_all
from catalog_app.selectors.segments import table_scan
from catalog_app.selectors.snapshots import SNAPSHOT, branch_snapshot
from catalog_app.services.attribute_checks import facts_check, states_check

METADATA_INVARIANTS = {
    "a branch's head is not its newest commit": """
        SELECT b.id FROM catalog_app_branch b WHERE b.catalog_id = %(catalog)s AND b.head_version <> coalesce(
            (SELECT max(version) FROM catalog_app_commit c WHERE c.branch_id = b.id), b.fork_version)""",
    "a commit's parent lies neither on its branch nor below its cut": """
        SELECT c.id FROM catalog_app_commit c JOIN catalog_app_commit p ON p.id = c.parent_id
        JOIN catalog_app_branch b ON b.id = c.branch_id
        WHERE c.catalog_id = %(catalog)s AND p.branch_id <> c.branch_id
          AND NOT p.branch_id = ANY(b.ancestor_branches)""",
    "a commit is older than its parent": """
        SELECT c.id FROM catalog_app_commit c JOIN catalog_app_commit p ON p.id = c.parent_id
        WHERE c.catalog_id = %(catalog)s AND (c.committed_at < p.committed_at OR c.version <= p.version)""",
    "an operation disagrees with its commit": """
        SELECT o.id FROM catalog_app_commitoperation o JOIN catalog_app_commit c ON c.id = o.commit_id
        WHERE c.catalog_id = %(catalog)s AND (o.version <> c.version OR o.branch_id <> c.branch_id)""",
    "a current schema is not the newest of the visible history": """
        SELECT s.id FROM catalog_app_tableschema s JOIN catalog_app_branch b ON b.id = s.branch_id
        WHERE b.catalog_id = %(catalog)s AND NOT EXISTS (
            SELECT 1 FROM catalog_app_tableschemahistory h
            WHERE h.branch_id = s.branch_id AND h.table_id = s.table_id AND h.version = s.version
              AND h.definition_id = s.definition_id AND NOT EXISTS (
                SELECT 1 FROM catalog_app_tableschemahistory n WHERE n.branch_id = h.branch_id
                  AND n.table_id = h.table_id AND n.version > h.version))""",
    "a segment was removed before it was added": """
        SELECT r.id FROM catalog_app_segmentremoval r JOIN catalog_app_segment s ON s.id = r.segment_id
        JOIN catalog_app_branch b ON b.id = r.branch_id
        WHERE b.catalog_id = %(catalog)s AND r.removed_version < s.added_version""",
    "a delete file hangs on a segment of another file": """
        SELECT d.id FROM catalog_app_segmentdelete d JOIN catalog_app_segment s ON s.id = d.segment_id
        JOIN catalog_app_deletefile f ON f.id = d.delete_file_id JOIN catalog_app_branch b ON b.id = d.branch_id
        WHERE b.catalog_id = %(catalog)s AND f.data_file_id <> s.file_id""",
    "a branch's look-up chain is not its parent's, cut at the fork": """
        SELECT b.id FROM catalog_app_branch b JOIN catalog_app_branch p ON p.id = b.parent_id
        WHERE b.catalog_id = %(catalog)s AND (
            b.ancestor_branches <> p.id || p.ancestor_branches
            OR b.ancestor_limits <> b.fork_version || (
                SELECT coalesce(array_agg(least(l.upto, b.fork_version) ORDER BY l.place), ARRAY[]::bigint[])
                FROM unnest(p.ancestor_limits) WITH ORDINALITY AS l(upto, place)))""",
    "two data files of a table own the same row address": """
        SELECT x.id FROM (
            SELECT f.id, f.base, max(f.base + f.rows) OVER (
                PARTITION BY f.table_id ORDER BY f.base ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
            FROM catalog_app_datafile f JOIN catalog_app_table t ON t.id = f.table_id
            WHERE t.catalog_id = %(catalog)s) x
        WHERE x.reached > x.base""",
    "tables share a file of which they say different things": """
        SELECT f.id FROM catalog_app_datafile f JOIN catalog_app_table t ON t.id = f.table_id
        JOIN catalog_app_datafile other ON other.path = f.path AND other.id <> f.id
        WHERE t.catalog_id = %(catalog)s AND (f.base, f.rows, f.bytes, f.partition, f.layout, f.stores_row_ids,
              f.smallest_row_id, f.largest_row_id)
            <> (other.base, other.rows, other.bytes, other.partition, other.layout, other.stores_row_ids,
              other.smallest_row_id, other.largest_row_id)""",
    "a row address was used that was never given out": """
        SELECT f.id FROM catalog_app_datafile f JOIN catalog_app_table t ON t.id = f.table_id
        WHERE t.catalog_id = %(catalog)s AND f.base + f.rows > t.next_address""",
    "an operation replays one that was no original": """
        SELECT o.id FROM catalog_app_commitoperation o JOIN catalog_app_commit c ON c.id = o.commit_id
        JOIN catalog_app_branch here ON here.id = o.branch_id
        LEFT JOIN catalog_app_commitoperation origin ON origin.id = o.origin_id
        LEFT JOIN catalog_app_branch made_on ON made_on.id = origin.branch_id
        WHERE c.catalog_id = %(catalog)s AND (
            (o.origin_id IS NULL AND (o.origin_branch_id <> o.branch_id OR o.origin_version <> o.version)
                AND NOT here.is_workspace
                AND NOT EXISTS (
                    SELECT 1 FROM catalog_app_commit p
                    WHERE p.branch_id = o.origin_branch_id AND p.version = o.origin_version
                      AND (p.id = c.merge_parent_id OR o.kind IN (
                          'drop', 'undrop', 'rename', 'set properties', 'unset properties', 'column'))))
            OR origin.origin_id IS NOT NULL
            OR (NOT made_on.is_workspace
                AND (o.origin_branch_id <> origin.origin_branch_id OR o.origin_version <> origin.origin_version))
            OR (made_on.is_workspace AND NOT EXISTS (
                SELECT 1 FROM catalog_app_commitoperation m WHERE m.origin_id = o.origin_id
                  AND m.branch_id = o.origin_branch_id AND m.version = o.origin_version)))""",
    "a record was superseded by none": """
        SELECT r.id FROM catalog_app_tablerecord r JOIN catalog_app_branch b ON b.id = r.branch_id
        WHERE b.catalog_id = %(catalog)s AND r.superseded_version IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM catalog_app_tablerecord n WHERE n.branch_id = r.branch_id AND n.table_id = r.table_id
              AND n.version = r.superseded_version)""",
    "a tag names a version that its branch has not lived through": """
        SELECT t.id FROM catalog_app_tag t JOIN catalog_app_branch b ON b.id = t.branch_id
        WHERE t.catalog_id = %(catalog)s AND (t.version > b.head_version OR t.version < 0)""",
    "an open transaction has no workspace, or a closed one still has": """
        SELECT b.id FROM catalog_app_transaction x JOIN catalog_app_branch b ON b.id = x.workspace_id
        WHERE b.catalog_id = %(catalog)s AND (NOT b.is_workspace OR (x.state = 'open') <> (b.dropped_at IS NULL))""",
    "a data file stores stamps of which it has no bounds, or bounds of none": """
        SELECT f.id FROM catalog_app_datafile f JOIN catalog_app_table t ON t.id = f.table_id
        WHERE t.catalog_id = %(catalog)s AND CASE WHEN f.stores_stamps
            THEN coalesce(f.smallest_stamp > f.largest_stamp OR f.smallest_stamp < 0, true)
            ELSE num_nonnulls(f.smallest_stamp, f.largest_stamp) > 0 END""",
    "a delete file names more rows than its data file has": """
        SELECT f.id FROM catalog_app_deletefile f JOIN catalog_app_datafile d ON d.id = f.data_file_id
        JOIN catalog_app_table t ON t.id = f.table_id WHERE t.catalog_id = %(catalog)s AND f.rows > d.rows""",
}

BRANCH_INVARIANTS = {
    "a file is visible twice": """
        SELECT v.file_id FROM visible v GROUP BY v.file_id, v.table_id HAVING count(*) > 1""",
    "a visible segment names a schema version that its store lacks": """
        SELECT v.id FROM visible v WHERE v.is_visible AND NOT EXISTS (
            SELECT 1 FROM snapshot l JOIN catalog_app_tableschemahistory h ON h.branch_id = l.branch_id
              AND h.version <= l.max_version
            WHERE h.table_id = v.table_id AND h.version = v.schema_version AND h.definition_id = v.definition_id)
        UNION ALL
        SELECT v.id FROM visible v WHERE NOT v.is_visible AND NOT EXISTS (
            SELECT 1 FROM snapshot l JOIN catalog_app_invisibleschemahistory i ON i.branch_id = l.branch_id
              AND i.added_version <= l.max_version
            WHERE i.table_id = v.table_id AND i.version = v.schema_version AND i.definition_id = v.definition_id)""",
    "rows lie in another partition than they were written in, and no statement moved them": """
        SELECT v.id FROM visible v JOIN catalog_app_datafile f ON f.id = v.file_id
        WHERE v.partition <> f.partition AND v.partition_stamp = 0""",
    "a visible file has expired": """
        SELECT v.id FROM visible v JOIN catalog_app_expiredfile e ON e.data_file_id = v.file_id
        JOIN current_tables t ON t.table_id = v.table_id AND NOT t.is_dropped
        JOIN current_databases d ON d.database_id = t.database_id AND NOT d.is_dropped""",
    "a visible file stores a stamp that the branch does not know": """
        SELECT v.file_id FROM visible v JOIN catalog_app_datafile f ON f.id = v.file_id AND f.stores_stamps
        JOIN unnest(ARRAY[f.smallest_stamp, f.largest_stamp]) AS s(stamp) ON s.stamp > 0
        WHERE NOT EXISTS (
            SELECT 1 FROM reached k JOIN catalog_app_commit c ON c.branch_id = k.branch_id AND c.version = s.stamp
            WHERE c.version <= k.max_version)""",
    "two valid tables of a database share a name": """
        SELECT min(t.table_id) FROM current_tables t
        WHERE NOT t.is_dropped AND t.database_id NOT IN (SELECT database_id FROM current_databases WHERE is_dropped)
        GROUP BY t.database_id, t.name_key HAVING count(*) > 1""",
    "two valid databases share a name": """
        SELECT min(d.database_id) FROM current_databases d WHERE NOT d.is_dropped
        GROUP BY d.name_key HAVING count(*) > 1""",
}

_REACHED = """reached AS (
    SELECT branch_id, max_version FROM snapshot
    UNION ALL
    SELECT r.reached_branch_id, r.reached_version FROM snapshot l JOIN catalog_app_branchreach r
      ON r.branch_id = l.branch_id AND r.at_version <= l.max_version
)"""

_VISIBLE_EVERYWHERE = f"""
WITH {SNAPSHOT}, {_REACHED}, visible AS (
    SELECT s.* FROM snapshot l JOIN catalog_app_segment s
      ON s.branch_id = l.branch_id AND s.added_version <= l.max_version
    WHERE NOT EXISTS (
        SELECT 1 FROM snapshot m JOIN catalog_app_segmentremoval r
          ON r.branch_id = m.branch_id AND r.removed_version <= m.max_version
        WHERE r.segment_id = s.id)
), current_tables AS (
    SELECT DISTINCT ON (r.table_id) r.* FROM snapshot l JOIN catalog_app_tablerecord r
      ON r.branch_id = l.branch_id AND r.version <= l.max_version
     AND (r.superseded_version IS NULL OR r.superseded_version > l.max_version) ORDER BY r.table_id, l.depth
), current_databases AS (
    SELECT DISTINCT ON (r.database_id) r.* FROM snapshot l JOIN catalog_app_databaserecord r
      ON r.branch_id = l.branch_id AND r.version <= l.max_version
     AND (r.superseded_version IS NULL OR r.superseded_version > l.max_version) ORDER BY r.database_id, l.depth
)
"""

_FILES = """
SELECT f.path, f.bytes FROM catalog_app_datafile f JOIN catalog_app_table t ON t.id = f.table_id
WHERE t.catalog_id = %(catalog)s AND EXISTS (SELECT 1 FROM catalog_app_segment s WHERE s.file_id = f.id)
  AND NOT EXISTS (SELECT 1 FROM catalog_app_expiredfile e WHERE e.data_file_id = f.id)
UNION ALL
SELECT f.path, f.bytes FROM catalog_app_deletefile f JOIN catalog_app_table t ON t.id = f.table_id
WHERE t.catalog_id = %(catalog)s
  AND (EXISTS (SELECT 1 FROM catalog_app_segmentdelete d WHERE d.delete_file_id = f.id)
    OR EXISTS (SELECT 1 FROM catalog_app_segmentstamp p WHERE p.rows_file_id = f.id))
  AND NOT EXISTS (SELECT 1 FROM catalog_app_expiredfile e WHERE e.delete_file_id = f.id)
"""


def _together(invariants: Mapping[str, str]) -> str:
    """One query for all of them: the place of what is broken, and the id that breaks it."""
    return " UNION ALL ".join(
        f"SELECT {place} AS place, broken.* FROM ({query}) AS broken(id)"
        for place, query in enumerate(invariants.values())
    )


_STORING = """
SELECT DISTINCT f.table_id FROM catalog_app_datafile f JOIN catalog_app_table t ON t.id = f.table_id
WHERE t.catalog_id = %(catalog)s AND f.stores_row_ids
"""
_METADATA = _together(METADATA_INVARIANTS) + " ORDER BY place, id"
_BRANCH = _VISIBLE_EVERYWHERE + _together(BRANCH_INVARIANTS) + " ORDER BY place, id"

RowIds = Callable[[FileScan], Sequence[int]]
"""Gives the ids of a data file's rows that no delete marks."""
Stamps = Callable[[FileScan], Collection[int]]
"""Gives the stamps that a data file stores, 0 for rows without."""

_UNKNOWN = f"""
WITH {SNAPSHOT}, {_REACHED}
SELECT s.stamp FROM unnest(%(stamps)s::bigint[]) AS s(stamp)
WHERE NOT EXISTS (
    SELECT 1 FROM reached k JOIN catalog_app_commit c ON c.branch_id = k.branch_id AND c.version = s.stamp
    WHERE c.version <= k.max_version)
"""

_BOUNDS = "SELECT id, smallest_stamp, largest_stamp FROM catalog_app_datafile WHERE id = ANY(%(files)s)"


def catalog_check(
    catalog: Catalog,
    *,
    size_of: Callable[[str], int | None] | None = None,
    row_ids_of: RowIds | None = None,
    stamps_of: Stamps | None = None,
) -> list[str]:
    """Every breach in words; empty when all is well. ``size_of`` tells a file's bytes, None when it is missing. Only
    with ``row_ids_of`` and ``stamps_of`` rows are looked at.
    """
    # Prepared, because each branch is asked, and to plan what it is asked takes longer than to answer.
    of_metadata, of_branch = tuple(METADATA_INVARIANTS), tuple(BRANCH_INVARIANTS)
    found = fetch_all(_METADATA, {"catalog": catalog.pk}, prepared=True)
    breaches = [f"{of_metadata[place]} (id {identity})" for place, identity in found]
    breaches += facts_check(catalog.pk)
    # Without stored ids rows have the addresses of their own file.
    storing = {row[0] for row in fetch_all(_STORING, {"catalog": catalog.pk})}
    for branch in Branch.objects.filter(catalog=catalog, dropped_at__isnull=True):
        found = fetch_all(_BRANCH, branch_snapshot(branch).parameters, prepared=True)
        breaches += [f"on branch {branch.name}: {of_branch[place]} (id {identity})" for place, identity in found]
        breaches += states_check(branch)
        looks_at_rows = row_ids_of is not None or stamps_of is not None
        files = _files_storing(branch, storing) if storing and looks_at_rows else {}
        if row_ids_of is not None:
            breaches += _rows_twice(branch, files, row_ids_of)
        if stamps_of is not None:
            breaches += _strange_stamps(branch, files, stamps_of)
    if size_of is not None:
        for path, size in fetch_all(_FILES, {"catalog": catalog.pk}):
            found_size = size_of(path)
            if found_size != size:
                breaches.append(f"file {path} has {found_size} bytes instead of {size}")
    return breaches


def _files_storing(branch: Branch, storing: Collection[int]) -> dict[str, tuple[FileScan, ...]]:
    """By table, the files of those that hold rows from other files."""
    snapshot = branch_snapshot(branch)
    tables = tables_list(snapshot, [database.database_id for database in databases_list(snapshot)])
    return {table.name: table_scan(snapshot, table).files for table in tables if table.table_id in storing}


def _rows_twice(branch: Branch, tables: Mapping[str, Sequence[FileScan]], row_ids_of: RowIds) -> list[str]:
    """Rows that are live in two files of a table: an image next to the row that it replaces."""
    breaches = []
    for name, files in tables.items():
        if any(file.stores_row_ids for file in files):
            seen = Counter(row_id for file in files for row_id in row_ids_of(file))
            twice = sorted(row_id for row_id, count in seen.items() if count > 1)
            breaches += [f"on branch {branch.name}: row {row_id} of table {name} lives twice" for row_id in twice]
    return breaches


def _strange_stamps(branch: Branch, tables: Mapping[str, Sequence[FileScan]], stamps_of: Stamps) -> list[str]:
    """Stamps in files that no commit has which the branch knows, or that lie out of the file's bounds."""
    files = {file.file_id: file for scans in tables.values() for file in scans if file.stores_stamps}
    stored = {file_id: set(stamps_of(file)) for file_id, file in files.items()}
    bounds = fetch_all(_BOUNDS, {"files": list(files)}) if files else []
    found = [
        f"on branch {branch.name}: file {files[file_id].path} stores other stamps than {smallest} to {largest}"
        for file_id, smallest, largest in bounds
        if (min(stored[file_id]), max(stored[file_id])) != (smallest, largest)
    ]
    stamps = sorted(set().union(*stored.values()) - {0})
    parameters = {**branch_snapshot(branch).parameters, "stamps": stamps}
    unknown = {stamp for (stamp,) in fetch_all(_UNKNOWN, parameters)} if stamps else set()
    found += [
        f"on branch {branch.name}: file {files[file_id].path} stores stamp {stamp}, which the branch does not know"
        for file_id, own in stored.items()
        for stamp in sorted(own & unknown)
    ]
    return found
