"""Fields inside of columns get ids. Until now no nested type could change: all definitions of a column have the same."""

import json
from collections import defaultdict

from django.db import migrations

from catalog_app.domain.nested import joined, numbered, unnumbered
from catalog_app.domain.types import parse_type

TRIGGER = "ALTER TABLE catalog_app_schemadefinition {} TRIGGER schemadefinition_append_only"


def fields_identify(apps, schema_editor):
    """Number the fields of every column once, whichever definition it stands in."""
    cursor = schema_editor.connection.cursor()
    cursor.execute("SELECT id, table_id, content FROM catalog_app_schemadefinition WHERE content::text LIKE '%%<%%'")
    definitions = [(key, table, _loaded(content)) for key, table, content in cursor.fetchall()]
    kinds = defaultdict(dict)
    for _, table, content in definitions:
        for column in content["columns"]:
            if "<" in column["type"] and "nested" not in column:
                for identifier in (column["id"], *column["aliases"]):
                    kinds[table].setdefault(identifier, parse_type(column["type"]))
    for table, of_table in kinds.items():
        ids = _allocated(cursor, table, sum(map(unnumbered, of_table.values())))
        kinds[table] = {identifier: numbered(kind, ids) for identifier, kind in of_table.items()}
    cursor.execute(TRIGGER.format("DISABLE"))
    for key, table, content in definitions:
        if _numbered_columns(content, kinds[table]):
            cursor.execute(
                "UPDATE catalog_app_schemadefinition SET content = %s WHERE id = %s", [json.dumps(content), key]
            )
    cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    cursor.execute(TRIGGER.format("ENABLE"))


def _loaded(content):
    return json.loads(content) if isinstance(content, str) else content


def _allocated(cursor, table, count):
    cursor.execute(
        "UPDATE catalog_app_table SET next_column_id = next_column_id + %s WHERE id = %s RETURNING next_column_id",
        [count, table],
    )
    (following,) = cursor.fetchone()
    return iter(range(following - count, following))


def _numbered_columns(content, kinds):
    """Give the columns of a definition their fields' ids, those of what merges made one with them too."""
    is_changed = False
    for column in content["columns"]:
        if "<" in column["type"] and "nested" not in column:
            kind = kinds[column["id"]]
            for alias in column["aliases"]:
                kind = joined(kind, kinds[alias])
            column["nested"] = kind.identified
            is_changed = True
    return is_changed


class Migration(migrations.Migration):
    dependencies = [
        ("catalog_app", "0008_restores"),
    ]

    operations = [
        migrations.RunPython(fields_identify, migrations.RunPython.noop),
    ]
