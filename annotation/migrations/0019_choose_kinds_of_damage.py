from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0018_store_imports_in_pieces"),
    ]

    operations = [
        migrations.AddField(
            model_name="policy",
            name="damages",
            field=models.JSONField(blank=True, default=list),
        ),
    ]
