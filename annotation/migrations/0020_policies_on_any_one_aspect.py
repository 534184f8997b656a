from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0019_choose_kinds_of_damage"),
    ]

    operations = [
        migrations.AlterField(
            model_name="policy",
            name="on",
            field=models.CharField(
                choices=[
                    ("hurt", "the aspects that the damage should lower"),
                    ("mean", "the mean over all aspects"),
                    ("chosen", "the chosen aspects"),
                    ("any", "any one aspect"),
                ],
                default="hurt",
                max_length=6,
            ),
        ),
    ]
