"""Work that was under way at the upgrade is queued again; bundles on disk become rows."""

import json
from datetime import datetime

from django.conf import settings
from django.db import migrations


def queue_again(apps, schema_editor):
    """The workers of before are gone, or may not end what they hold: another owner."""
    queued = {'state': 'queued', 'owner': '', 'lease_until': None, 'sent_at': None}
    for name in ('Chunk', 'Probe', 'Analysis'):
        apps.get_model('scoring', name).objects.filter(state='running').update(**queued)


def adopt_bundles(apps, schema_editor):
    """How far a bundle had come stood in a file beside it."""
    Study = apps.get_model('annotation', 'Study')
    Bundle = apps.get_model('scoring', 'Bundle')
    for file in (settings.DATA_DIR / 'bundles').glob('*/state.json'):
        try:
            study = Study.objects.filter(public_id=file.parent.name).first()
            kept = json.loads(file.read_text())
            row = _row(kept, datetime.fromisoformat(kept['at']))
        except (KeyError, OSError, TypeError, ValueError):
            continue  # whatever it is, a new bundle can be made
        if study:
            Bundle.objects.update_or_create(study=study, defaults=row)
        file.unlink(missing_ok=True)


def _row(kept, at):
    if kept['state'] in ('asked', 'running'):
        return {'state': 'queued'}
    ended = {'state': kept['state'], 'error': kept['error'], 'finished_at': at}
    return {**ended, 'stamp': kept['stamp'], 'file': kept['file']}


class Migration(migrations.Migration):

    dependencies = [
        ('scoring', '0006_one_queue'),
    ]

    operations = [
        migrations.RunPython(queue_again, migrations.RunPython.noop),
        migrations.RunPython(adopt_bundles, migrations.RunPython.noop),
    ]
