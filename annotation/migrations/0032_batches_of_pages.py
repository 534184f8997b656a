from django.db import migrations, models
from django.db.models import F


def make_room(apps, schema_editor):
    """Halve the numbers by which prompts are served one by one.

    They took all bits of the column, so that nothing could stand behind them.
    """
    places = apps.get_model("annotation", "Place").objects
    places.filter(study__one_by_one=True).update(shuffle=F("shuffle").bitrightshift(1))


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0031_role_by_group'),
    ]

    operations = [
        migrations.AddField(
            model_name='survey',
            name='batch',
            field=models.PositiveIntegerField(blank=True, editable=False, null=True),
        ),
        migrations.RunPython(make_room, migrations.RunPython.noop),
    ]
