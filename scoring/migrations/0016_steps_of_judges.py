from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scoring", "0015_keep_the_mark_of_anchors")]

    operations = [
        migrations.AlterField(
            model_name="judgetrial",
            name="kind",
            field=models.CharField(
                choices=[
                    ("pairs", "Pairs"),
                    ("stress", "Stress"),
                    ("anchors", "Anchors"),
                    ("steps", "Steps"),
                ],
                max_length=7,
            ),
        )
    ]
