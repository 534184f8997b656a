"""Keys of outputs join their words by _: attribute-relevance is attribute_relevance.

Aspects keep theirs: researchers chose them, and have files that name them.
"""

from django.db import migrations
from django.db.models import Exists, OuterRef

TEXTS = {'Score': 'generation', 'NegativeScore': 'negative', 'SystemScore': 'system'}


def spell(apps, schema_editor):
    """A few updates for each signature, however many scores it has."""
    Signature = apps.get_model('scoring', 'Signature')
    for signature in Signature.objects.all():
        keys = new_keys([output['key'] for output in signature.outputs])
        changed = {old: new for old, new in keys.items() if old != new}
        for old, new in changed.items():
            for name, text in TEXTS.items():
                rename(apps.get_model('scoring', name), text, signature, old, new)
        if changed:
            for output in signature.outputs:
                output['key'] = keys[output['key']]
            signature.save(update_fields=['outputs'])


def new_keys(keys):
    """By old key. An uploaded file may have had both a-b and a_b: they stay two."""
    found = {key: key for key in keys if '-' not in key}
    for key in keys:
        if '-' in key:
            new, number = key.replace('-', '_'), 2
            while new in found.values():
                new, number = f'{key.replace("-", "_")[:60]}_{number}', number + 1
            found[key] = new
    return found


def rename(model, text, signature, old, new):
    """An upgraded worker may have stored the same score under the new key already."""
    rows = model.objects.filter(signature=signature)
    same = {text: OuterRef(text)}
    if text == 'system':
        same['seed'] = OuterRef('seed')
    if rows.filter(output=new).exists():
        rows.filter(Exists(rows.filter(output=new, **same)), output=old).delete()
    rows.filter(output=old).update(output=new)


def spell_plans(apps, schema_editor):
    for plan in apps.get_model('scoring', 'Plan').objects.all():
        for metric in plan.metrics:
            metric['output'] = metric['output'].replace('-', '_')
        plan.save(update_fields=['metrics'])


def forget_analyses(apps, schema_editor):
    """Their results and options name outputs. Workers compute them again."""
    apps.get_model('scoring', 'Analysis').objects.all().delete()


class Migration(migrations.Migration):

    dependencies = [
        ('scoring', '0007_work_under_way'),
    ]

    operations = [
        migrations.RunPython(spell, migrations.RunPython.noop),
        migrations.RunPython(spell_plans, migrations.RunPython.noop),
        migrations.RunPython(forget_analyses, migrations.RunPython.noop),
    ]
