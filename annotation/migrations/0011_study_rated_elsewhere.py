from django.db import migrations, models
from django.db.models import Q


def mark(apps, schema_editor):
    """Studies whose ratings came with a file before this was noted."""
    study = apps.get_model("annotation", "Study")
    rated = Q(pk__in=apps.get_model("annotation", "Annotation").objects.filter(
        imported__isnull=False
    ).values("generation__study"))
    means = Q(pk__in=apps.get_model("annotation", "ImportedMean").objects.values(
        "generation__study"
    ))
    study.objects.filter(rated | means).update(rated_elsewhere=True)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0010_choose_damaged_texts")]

    operations = [
        migrations.AddField(
            model_name="study",
            name="rated_elsewhere",
            field=models.BooleanField(default=False, editable=False),
        ),
        migrations.RunPython(mark, migrations.RunPython.noop),
    ]
