"""Take over the tokens of Django REST framework's own table, which holds them in clear.

They keep working, without an end. The table goes: a copy of it let anybody in, and its
foreign key would keep accounts from being deleted, now that no app knows of it.
"""

import hashlib

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

TABLE = "authtoken_token"
FORMER = migrations.CreateModel(
    "FormerToken",
    [
        ("key", models.CharField(max_length=40, primary_key=True)),
        (
            "user",
            models.OneToOneField(
                settings.AUTH_USER_MODEL,
                django.db.models.deletion.CASCADE,
                related_name="+",
            ),
        ),
        ("created", models.DateTimeField()),
    ],
    options={"db_table": TABLE},
)


def take_over(apps, schema_editor):
    if TABLE not in schema_editor.connection.introspection.table_names():
        return
    former = apps.get_model("accounts", "FormerToken")
    apps.get_model("accounts", "Token").objects.bulk_create(
        apps.get_model("accounts", "Token")(
            user_id=old.user_id,
            name="Earlier token",
            digest=hashlib.sha256(old.key.encode()).hexdigest(),
            created_at=old.created,
        )
        for old in former.objects.all()
    )
    schema_editor.delete_model(former)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(state_operations=[FORMER]),
        migrations.RunPython(take_over, migrations.RunPython.noop),
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.DeleteModel("FormerToken")]
        ),
    ]
