from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("scoring", "0009_count_parameters"),
    ]

    operations = [
        migrations.AddField(
            model_name="evaluatortable",
            name="control",
            field=models.CharField(blank=True, max_length=100),
        ),
        migrations.AddField(
            model_name="evaluatortable",
            name="patterns",
            field=models.JSONField(default=list),
        ),
    ]
