"""Servers name whom they refuse: their words outlived the addresses and ids."""

import re

from django.db import migrations
from django.db.models import Q


ID = re.compile(r"\b[0-9a-f]{24}\b", re.I)  # at Prolific


def blank(apps, schema_editor):
    kept = apps.get_model("annotation", "Mail").objects.exclude(error="")
    named = Q(error__contains="@") | Q(recipient__address="")
    kept.filter(named).update(error="")


def strip(apps, schema_editor):
    batches = apps.get_model("annotation", "BonusBatch").objects.exclude(error="")
    events = apps.get_model("annotation", "Event").objects
    for rows, field in (
        (batches, "error"),
        (events.filter(verb="bonuses-refused"), "detail"),
    ):
        for row in rows.only(field).iterator():
            setattr(row, field, ID.sub("[id]", getattr(row, field)))
            row.save(update_fields=[field])


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0041_writing_and_hidden_sentences'),
    ]

    operations = [
        migrations.RunPython(blank, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(strip, migrations.RunPython.noop, elidable=True),
    ]
