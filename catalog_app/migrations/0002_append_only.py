"""What constraints cannot say: history is append-only, and files, segments and deletes belong to one table."""

from django.db import migrations

APPEND_ONLY = (
    "commit",
    "commitoperation",
    "branchreach",
    "datafile",
    "deletefile",
    "segment",
    "segmentremoval",
    "segmentdelete",
    "schemadefinition",
    "tableschemahistory",
    "invisibleschemahistory",
)
RECORDS = ("databaserecord", "tablerecord", "viewrecord")

FUNCTIONS = """
CREATE FUNCTION lakeui_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('lakeui.expiring', true) = 'on' AND TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'history is append-only: % on % is refused', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE FUNCTION lakeui_only_supersede() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.superseded_version IS NOT NULL OR NEW.superseded_version IS NULL
       OR to_jsonb(NEW) - 'superseded_version' <> to_jsonb(OLD) - 'superseded_version' THEN
        RAISE EXCEPTION 'history is append-only: only superseded_version of % may be set, once', TG_TABLE_NAME
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
"""

DROP_FUNCTIONS = "DROP FUNCTION lakeui_refuse_change() CASCADE; DROP FUNCTION lakeui_only_supersede() CASCADE;"


def _triggers() -> str:
    statements = [
        f"CREATE TRIGGER {name}_append_only BEFORE UPDATE OR DELETE ON catalog_app_{name} "
        f"FOR EACH ROW EXECUTE FUNCTION lakeui_refuse_change();"
        for name in APPEND_ONLY
    ]
    for name in RECORDS:
        statements.append(
            f"CREATE TRIGGER {name}_supersede BEFORE UPDATE ON catalog_app_{name} "
            f"FOR EACH ROW EXECUTE FUNCTION lakeui_only_supersede();"
        )
        statements.append(
            f"CREATE TRIGGER {name}_append_only BEFORE DELETE ON catalog_app_{name} "
            f"FOR EACH ROW EXECUTE FUNCTION lakeui_refuse_change();"
        )
    return "\n".join(statements)


def _composite_key(table: str, column: str, target: str) -> str:
    return (
        f"ALTER TABLE catalog_app_{table} ADD CONSTRAINT {table}_{column}_same_table "
        f"FOREIGN KEY ({column}, table_id) REFERENCES catalog_app_{target} (id, table_id);"
    )


COMPOSITE_KEYS = "\n".join(
    (
        _composite_key("deletefile", "data_file_id", "datafile"),
        _composite_key("segment", "file_id", "datafile"),
        _composite_key("segmentremoval", "segment_id", "segment"),
        _composite_key("segmentdelete", "segment_id", "segment"),
        _composite_key("segmentdelete", "delete_file_id", "deletefile"),
    )
)


class Migration(migrations.Migration):
    dependencies = [("catalog_app", "0001_catalog")]

    operations = [
        migrations.RunSQL(FUNCTIONS, DROP_FUNCTIONS),
        migrations.RunSQL(_triggers(), migrations.RunSQL.noop),
        migrations.RunSQL(COMPOSITE_KEYS, migrations.RunSQL.noop),
    ]
