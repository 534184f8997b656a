import hashlib
import json

from django.db import migrations, models

ROWS = 2000  # at once


def without_who_answered(apps, schema_editor):
    """Answers that were paid for are found again, though keys have no model's name."""
    calls = apps.get_model("scoring", "JudgeCall").objects.filter(sample__gt=0)
    fields = "endpoint", "model_asked", "prompt_hash", "parameters", "sample"
    found = []
    for call in calls.order_by("pk").only("key", *fields).iterator(ROWS):
        endpoint, model, prompt, parameters, sample = (
            getattr(call, name) for name in fields
        )
        parts = [endpoint, model, None, prompt, parameters, sample]
        call.key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
        found.append(call)
        if len(found) == ROWS:
            calls.bulk_update(found, ["key"])
            found = []
    calls.bulk_update(found, ["key"])


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0022_what_is_published"),
    ]

    operations = [
        migrations.AddField(
            model_name="judgeidentity",
            name="parameters",
            field=models.TextField(blank=True),
        ),
        migrations.RunPython(without_who_answered, migrations.RunPython.noop),
    ]
