"""Two catalogs in which equal numbers name different commits, and merges between them."""

from __future__ import annotations

from django.db import connection, transaction

from catalog_app.models import Catalog, CatalogJoin
from catalog_app.selectors.snapshots import catalog_get
from tests.support.lake import Lake


def made(lake: Lake, table: str = "e.t") -> Lake:
    """A table of three rows in four commits: two catalogs that are made so have the same versions."""
    lake.sql(f"CREATE DATABASE {table.partition('.')[0]}")
    lake.sql(f"CREATE TABLE {table} (id INT, v INT)")
    lake.sql(f"INSERT INTO {table} VALUES (1, 0), (2, 0), (3, 0)")
    lake.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('merge.conflicts' = 'row')")
    return lake


def take(target: Lake, source: Lake, branch: str = "main", to: str = "main") -> None:
    target.sql(f"MERGE BRANCH {source.catalog}.{branch} TO {to}")


def catalog_of(lake: Lake) -> Catalog:
    return catalog_get(lake.catalog)


def are_joined(one: Lake, other: Lake) -> bool:
    return CatalogJoin.objects.filter(catalog=catalog_of(one), other=catalog_of(other)).exists()


def breaches(*lakes: Lake) -> list[str]:
    return [item for lake in lakes for item in lake.breaches()]


_FACTS = """
UPDATE catalog_app_attributefacts f SET facts = (
    SELECT jsonb_object_agg(e.key, jsonb_build_array(e.value -> 0, f.version, e.value -> 2)) FROM jsonb_each(f.facts) e)
FROM catalog_app_branch b WHERE b.id = f.branch_id AND b.catalog_id = %(target)s AND CASE f.object_kind
    WHEN 'table' THEN EXISTS (SELECT 1 FROM catalog_app_table o WHERE o.id = f.object_id AND o.catalog_id = %(source)s)
    ELSE EXISTS (SELECT 1 FROM catalog_app_database o WHERE o.id = f.object_id AND o.catalog_id = %(source)s) END
"""
_ROWS = """
UPDATE catalog_app_segment s SET stamp = s.added_version FROM catalog_app_branch b, catalog_app_table t
WHERE b.id = s.branch_id AND b.catalog_id = %(target)s AND t.id = s.table_id AND t.catalog_id = %(source)s
"""
_ALONE = "UPDATE catalog_app_catalog SET versions_of_id = NULL WHERE id = %(catalog)s"
_SEQUENCE = """
SELECT setval(%(sequence)s::regclass, (SELECT max(version) FROM catalog_app_commit WHERE catalog_id = %(catalog)s))
"""


def join_forget(target: Lake, source: Lake) -> None:
    """As after the first merge of two catalogs before joins were stored: each counts its versions alone, and what the
    target took has the stamp of the merge.
    """
    merged = {"target": catalog_of(target).pk, "source": catalog_of(source).pk}
    with transaction.atomic(), connection.cursor() as cursor:
        # History is append-only.
        cursor.execute("SET LOCAL session_replication_role = replica")
        CatalogJoin.objects.filter(catalog__in=merged.values(), other__in=merged.values()).delete()
        cursor.execute(_FACTS, merged)
        cursor.execute(_ROWS, merged)
        for catalog_id in merged.values():
            counted = {"sequence": f"catalog_version_{catalog_id}", "catalog": catalog_id}
            cursor.execute(_ALONE, counted)
            cursor.execute(_SEQUENCE, counted)
