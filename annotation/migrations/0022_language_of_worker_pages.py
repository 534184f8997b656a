from django.db import migrations, models

import annotation.models.studies


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0021_scales_of_questions"),
    ]

    operations = [
        migrations.AddField(
            model_name="study",
            name="language",
            field=models.CharField(
                choices=annotation.models.studies.languages,
                default="en",
                help_text="Of the pages that workers see.",
                max_length=10,
            ),
        ),
    ]
