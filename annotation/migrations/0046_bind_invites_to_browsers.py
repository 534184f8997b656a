from typing import Any

from django.db import migrations, models


def take(apps: Any, schema_editor: Any) -> None:
    """Links by which pages were submitted belong to the browsers that did it."""
    used = apps.get_model("annotation", "Invite").objects.exclude(worker=None)
    used.exclude(worker__proofs=[]).update(taken=True)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0045_first_looks_and_wrong_clocks")]

    operations = [
        migrations.AddField(
            model_name="invite",
            name="taken",
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(take, migrations.RunPython.noop),
    ]
