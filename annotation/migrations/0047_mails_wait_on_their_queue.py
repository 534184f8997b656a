from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0046_bind_invites_to_browsers")]

    operations = [
        migrations.AlterField(
            model_name="mailing",
            name="queue",
            field=models.CharField(default="mail", max_length=16),
        ),
    ]
