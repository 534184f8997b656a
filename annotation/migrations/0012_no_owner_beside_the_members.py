from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0011_members_archive_and_delete'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='study',
            name='owner',
        ),
    ]
