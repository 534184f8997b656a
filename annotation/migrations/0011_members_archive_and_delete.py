import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def owners_become_members(apps, schema_editor):
    Study = apps.get_model('annotation', 'Study')
    Member = apps.get_model('annotation', 'Member')
    pairs = Study.objects.exclude(owner=None).values_list('pk', 'owner')
    Member.objects.bulk_create(
        [Member(study_id=study, user_id=owner, role='owner') for study, owner in pairs],
        batch_size=1000,
    )


def first_owners_stay(apps, schema_editor):
    Study = apps.get_model('annotation', 'Study')
    Member = apps.get_model('annotation', 'Member')
    for member in Member.objects.filter(role='owner').order_by('-pk'):
        Study.objects.filter(pk=member.study_id).update(owner=member.user_id)
    if schema_editor.connection.vendor == 'postgresql':
        # It alters no table while it still has to check what refers to its rows.
        schema_editor.execute('SET CONSTRAINTS ALL IMMEDIATE')


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0010_choose_damaged_texts'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='study',
            name='archived_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='study',
            name='deleted_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='study',
            name='deleted_by',
            field=models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='study',
            name='state_before',
            field=models.CharField(blank=True, choices=[('draft', 'Draft'), ('open', 'Open'), ('paused', 'Paused'), ('closed', 'Closed')], editable=False, max_length=8),
        ),
        migrations.CreateModel(
            name='Member',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('owner', 'Owner'), ('editor', 'Editor'), ('viewer', 'Viewer')], default='viewer', max_length=6)),
                ('since', models.DateTimeField(auto_now_add=True)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='annotation.study')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('study', 'user'), name='one_role_per_study_and_user')],
            },
        ),
        migrations.RunPython(owners_become_members, first_owners_stay),
    ]
