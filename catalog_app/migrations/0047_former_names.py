"""An index of the words of names that tables had: a superseded record says what a table was called.

The expression is that of ``catalog_app/selectors/search.py``.
"""

from django.db import migrations

BREAKS = "_./-:@,;\"''[](){}"
WORDS = f"to_tsvector('simple', translate(name_key, '{BREAKS}', repeat(' ', 20)))"


class Migration(migrations.Migration):
    dependencies = [("catalog_app", "0046_dropped_tables_found")]

    operations = [
        migrations.RunSQL(
            f"CREATE INDEX table_record_former_words ON catalog_app_tablerecord USING gin (({WORDS}))"
            " WHERE superseded_version IS NOT NULL AND NOT is_dropped",
            "DROP INDEX table_record_former_words",
        ),
    ]
