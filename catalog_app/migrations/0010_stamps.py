"""Facts of rows: who decided them. Until now every event belongs to an operation, which names the commit it came from."""

import django.db.models.deletion
from django.db import migrations, models

EVENTS = ("segment", "segmentremoval", "segmentdelete")
TRIGGER = "ALTER TABLE catalog_app_{0} {1} TRIGGER {0}_append_only;"

KIND = """CASE WHEN o.metrics ? 'restored_version' THEN 'restore'
    WHEN o.kind = 'partition' AND EXISTS (
        SELECT 1 FROM jsonb_array_elements(o.changes) AS c(change)
        WHERE change ->> 'change' = 'partition' AND change -> 'after' <> 'null' AND change -> 'before' <> 'null')
    THEN 'move' WHEN o.kind = 'partition' THEN 'overwrite' ELSE o.kind END"""

DERIVE = "\n".join(
    f"""{TRIGGER.format(name, "DISABLE")}
    UPDATE catalog_app_{name} e SET stamp = o.origin_version, kind = {KIND}
    FROM catalog_app_commitoperation o WHERE o.id = e.operation_id;
    SET CONSTRAINTS ALL IMMEDIATE;
    {TRIGGER.format(name, "ENABLE")}"""
    for name in EVENTS
)

GUARD = """
CREATE TRIGGER segmentstamp_append_only BEFORE UPDATE OR DELETE ON catalog_app_segmentstamp
FOR EACH ROW EXECUTE FUNCTION lakeui_refuse_change();
ALTER TABLE catalog_app_segmentstamp ADD CONSTRAINT segmentstamp_segment_id_same_table
FOREIGN KEY (segment_id, table_id) REFERENCES catalog_app_segment (id, table_id);
ALTER TABLE catalog_app_segmentstamp ADD CONSTRAINT segmentstamp_rows_file_id_same_table
FOREIGN KEY (rows_file_id, table_id) REFERENCES catalog_app_deletefile (id, table_id);
"""


def _key(model, **options):
    return models.ForeignKey(
        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=f"catalog_app.{model}", **options
    )


def _event_fields(model):
    return [
        migrations.AddField(model, "stamp", models.BigIntegerField(db_default=0)),
        migrations.AddField(model, "kind", models.TextField(db_default="")),
        migrations.AddField(model, "brings_stamp", models.BigIntegerField(null=True)),
        migrations.AddField(model, "brings_kind", models.TextField(db_default="")),
        migrations.AddField(model, "undoes_stamp", models.BigIntegerField(null=True)),
        migrations.AlterField(
            model,
            "operation",
            _key("commitoperation", null=True),
        ),
    ]


class Migration(migrations.Migration):
    dependencies = [("catalog_app", "0009_fields_have_ids")]

    operations = [
        migrations.AddField("datafile", "stores_stamps", models.BooleanField(db_default=False, default=False)),
        migrations.AddField("datafile", "smallest_stamp", models.BigIntegerField(null=True)),
        migrations.AddField("datafile", "largest_stamp", models.BigIntegerField(null=True)),
        *(operation for model in EVENTS for operation in _event_fields(model)),
        migrations.RunSQL(DERIVE, migrations.RunSQL.noop),
        migrations.CreateModel(
            name="SegmentStamp",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("stamp", models.BigIntegerField(db_default=0)),
                ("kind", models.TextField(db_default="")),
                ("brings_stamp", models.BigIntegerField(null=True)),
                ("brings_kind", models.TextField(db_default="")),
                ("undoes_stamp", models.BigIntegerField(null=True)),
                ("stamped_version", models.BigIntegerField()),
                ("branch", _key("branch", db_index=False)),
                ("operation", _key("commitoperation", null=True)),
                ("table", _key("table", db_constraint=False, db_index=False)),
                ("segment", _key("segment", db_constraint=False, db_index=False)),
                ("rows_file", _key("deletefile", db_constraint=False, db_index=False)),
            ],
            options={
                "indexes": [models.Index(fields=["table", "branch", "stamped_version"], name="stamp_branch_version")],
                "constraints": [
                    models.UniqueConstraint(fields=("branch", "segment", "rows_file"), name="segment_stamp_once")
                ],
            },
        ),
        migrations.RunSQL(GUARD, migrations.RunSQL.noop),
    ]
