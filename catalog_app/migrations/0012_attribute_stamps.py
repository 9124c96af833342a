"""Facts of attributes: who decided each. Until now states tell what attributes are, commits who made them so."""

import json

import django.db.models.deletion
from django.db import migrations, models

from catalog_app.services.attribute_checks import facts_check
from catalog_app.services.attribute_derivation import facts_derive

TRIGGER = """
CREATE TRIGGER attributefacts_append_only BEFORE UPDATE OR DELETE ON catalog_app_attributefacts
FOR EACH ROW EXECUTE FUNCTION lakeui_refuse_change();
"""

WRITE = """
INSERT INTO catalog_app_attributefacts (branch_id, version, object_kind, object_id, facts)
SELECT branch_id, version, object_kind, object_id, facts FROM jsonb_to_recordset(%s::jsonb) AS w(
    branch_id bigint, version bigint, object_kind text, object_id bigint, facts jsonb)
"""
BATCH = 10_000


class FactsContradict(Exception):
    """What two branches of a lake hold cannot both be. Merge or drop one of them under the version before, and upgrade
    again: what is right is for its people to say.
    """


def facts_write(apps, schema_editor):
    """Derive all facts, or stop with what contradicts."""
    rows = [
        {
            "branch_id": item.branch_id,
            "version": item.version,
            "object_kind": item.key[0].value,
            "object_id": item.key[1],
            "facts": {attribute: fact.as_json() for attribute, fact in item.facts.items()},
        }
        for item in facts_derive()
    ]
    with schema_editor.connection.cursor() as cursor:
        for start in range(0, len(rows), BATCH):
            cursor.execute(WRITE, [json.dumps(rows[start : start + BATCH])])
        cursor.execute("SELECT id FROM catalog_app_catalog ORDER BY id")
        catalogs = [row[0] for row in cursor.fetchall()]
    breaches = [f"catalog {catalog}: {breach}" for catalog in catalogs for breach in facts_check(catalog)]
    if breaches:
        raise FactsContradict("\n".join(breaches))


class Migration(migrations.Migration):
    dependencies = [("catalog_app", "0011_commit_reads")]

    operations = [
        migrations.CreateModel(
            name="AttributeFacts",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.BigIntegerField()),
                ("object_kind", models.TextField()),
                ("object_id", models.BigIntegerField()),
                ("facts", models.JSONField()),
                (
                    "branch",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="catalog_app.branch",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["branch", "version"], name="attribute_facts_version")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("object_kind", "object_id", "branch", "version"), name="attribute_facts_once"
                    )
                ],
            },
        ),
        migrations.RunSQL(TRIGGER, migrations.RunSQL.noop),
        migrations.RunPython(facts_write, migrations.RunPython.noop),
    ]
