"""What the statement of a commit read of other tables. Commits made before have none."""

import django.db.models.deletion
from django.db import migrations, models

TRIGGER = """
CREATE TRIGGER commitread_append_only BEFORE UPDATE OR DELETE ON catalog_app_commitread
FOR EACH ROW EXECUTE FUNCTION lakeui_refuse_change();
"""


def _key(to: str, related_name: str = "+") -> models.ForeignKey:
    return models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name=related_name, to=to)


class Migration(migrations.Migration):
    dependencies = [
        ("catalog_app", "0010_stamps"),
    ]

    operations = [
        migrations.AddField(
            model_name="protectionrule", name="refuse_stale_reads", field=models.BooleanField(default=False)
        ),
        migrations.CreateModel(
            name="CommitRead",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.BigIntegerField()),
                ("branch", _key("catalog_app.branch")),
                ("commit", _key("catalog_app.commit", "reads")),
                ("table", _key("catalog_app.table")),
                ("written", _key("catalog_app.table")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("commit", "written", "table", "branch", "version"), name="commit_read_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("written", models.F("table")), _negated=True), name="commit_read_of_another"
                    ),
                ],
            },
        ),
        migrations.RunSQL(TRIGGER, migrations.RunSQL.noop),
    ]
