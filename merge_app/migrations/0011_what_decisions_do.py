from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("merge_app", "0010_drops_noted"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="conflictresolution",
            name="conflict_resolution_value",
        ),
        migrations.AddField(
            model_name="conflictresolution",
            name="effect",
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name="comment",
            name="object_name",
            field=models.TextField(default=""),
        ),
        migrations.AlterField(
            model_name="conflictresolution",
            name="decision",
            field=models.TextField(
                choices=[
                    ("source", "source"),
                    ("destination", "destination"),
                    ("leave_out", "leave_out"),
                    ("rename", "rename"),
                    ("both", "both"),
                    ("rerun", "rerun"),
                    ("larger", "larger"),
                    ("newest", "newest"),
                    ("edited", "edited"),
                ]
            ),
        ),
        migrations.AddConstraint(
            model_name="conflictresolution",
            constraint=models.CheckConstraint(
                condition=models.Q(("decision__in", ("edited", "newest", "rerun")), ("value", ""), _connector="XOR"),
                name="conflict_resolution_value",
            ),
        ),
    ]
