"""Catalogs that merged share one sequence of versions. A commit takes its version under a lock that a join waits for."""

import django.db.models.deletion
from django.db import migrations, models

NEXT_VERSION = """
CREATE FUNCTION lakeui_next_version(of_catalog bigint) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE counted_by bigint;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(1785686382, of_catalog::int);
    SELECT coalesce(versions_of_id, id) INTO counted_by FROM catalog_app_catalog WHERE id = of_catalog;
    RETURN nextval(format('catalog_version_%s', counted_by)::regclass);
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("catalog_app", "0016_commits_decide"),
    ]

    operations = [
        migrations.AddField(
            model_name="catalog",
            name="versions_of",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="catalog_app.catalog"
            ),
        ),
        migrations.CreateModel(
            name="CatalogJoin",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.BigIntegerField()),
                (
                    "catalog",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="catalog_app.catalog"
                    ),
                ),
                (
                    "other",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="catalog_app.catalog"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("catalog", "other"), name="catalog_join_once")],
            },
        ),
        migrations.RunSQL(NEXT_VERSION, "DROP FUNCTION lakeui_next_version(bigint)"),
    ]
