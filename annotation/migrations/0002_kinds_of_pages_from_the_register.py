from django.db import migrations, models

import annotation.models.kinds


class Migration(migrations.Migration):
    """Kinds are asked when they are needed: a new one changes no table."""

    dependencies = [("annotation", "0001_squashed_0050_recipes")]

    operations = [
        migrations.AlterField(
            model_name="survey",
            name="kind",
            field=models.CharField(
                choices=annotation.models.kinds.choices,
                default="ratings",
                max_length=8,
            ),
        ),
    ]
