import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0010_patterns_with_two_sides"),
    ]

    operations = [
        migrations.AddField(
            model_name="checkpoint",
            name="test",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="tested",
                to="scoring.corpus",
            ),
        ),
    ]
