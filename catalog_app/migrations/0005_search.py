"""Indexes by which names are found: of tables by their beginning and by their words, of columns by their words.

Words are PostgreSQL's own full text search, so that no extension has to be installed. The expressions are those of
``catalog_app/selectors/search.py``.
"""

from django.db import migrations

BREAKS = "_./-:@,;\"''[](){}"
TABLE_WORDS = f"to_tsvector('simple', translate(name_key, '{BREAKS}', repeat(' ', 20)))"
COLUMN_WORDS = (
    "to_tsvector('simple', translate(lower(jsonb_path_query_array(content, '$.columns[*].name')::text),"
    f" '{BREAKS}', repeat(' ', 20)))"
)
CURRENT = "superseded_version IS NULL AND NOT is_dropped"


class Migration(migrations.Migration):
    dependencies = [("catalog_app", "0004_imports")]

    operations = [
        migrations.RunSQL(
            f'CREATE INDEX table_record_begins ON catalog_app_tablerecord (name_key COLLATE "C", table_id) WHERE {CURRENT}',
            "DROP INDEX table_record_begins",
        ),
        migrations.RunSQL(
            f"CREATE INDEX table_record_words ON catalog_app_tablerecord USING gin (({TABLE_WORDS})) WHERE {CURRENT}",
            "DROP INDEX table_record_words",
        ),
        migrations.RunSQL(
            f"CREATE INDEX schema_definition_words ON catalog_app_schemadefinition USING gin (({COLUMN_WORDS}))",
            "DROP INDEX schema_definition_words",
        ),
    ]
