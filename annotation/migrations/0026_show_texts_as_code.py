from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0025_dialogues"),
    ]

    operations = [
        migrations.AddField(
            model_name="study",
            name="monospaced",
            field=models.CharField(
                choices=[
                    ("automatic", "texts that look like code"),
                    ("always", "all texts: they are code"),
                    ("never", "no text"),
                ],
                default="automatic",
                help_text="Which texts workers see as code: letters of one width, and"
                " long lines that scroll.",
                max_length=9,
            ),
        ),
    ]
