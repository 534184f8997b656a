from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0008_keys_of_outputs"),
    ]

    operations = [
        migrations.AddField(
            model_name="signature",
            name="parameters",
            field=models.PositiveBigIntegerField(null=True),
        ),
    ]
