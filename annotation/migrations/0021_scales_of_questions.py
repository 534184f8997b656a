from django.core.validators import MaxValueValidator
from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):
    """Questions may have a scale of their own; those that exist keep the study's."""

    dependencies = [
        ("annotation", "0020_policies_on_any_one_aspect"),
    ]

    operations = [
        migrations.AddField(
            model_name="aspect",
            name="kind",
            field=models.CharField(
                choices=[
                    ("points", "Points"),
                    ("slider", "Slider from 0 to 100"),
                ],
                default="points",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="aspect",
            name="scale_min",
            field=models.PositiveSmallIntegerField(
                blank=True, null=True, validators=[MaxValueValidator(100)]
            ),
        ),
        migrations.AddField(
            model_name="aspect",
            name="scale_max",
            field=models.PositiveSmallIntegerField(
                blank=True, null=True, validators=[MaxValueValidator(100)]
            ),
        ),
        migrations.AddField(
            model_name="aspect",
            name="words",
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.AddField(
            model_name="aspect",
            name="cannot_say",
            field=models.BooleanField(
                default=False,
                help_text="Offer “Cannot say”. It counts as answered, and never as a"
                " number.",
            ),
        ),
        migrations.AddField(
            model_name="aspect",
            name="level",
            field=models.CharField(
                choices=[
                    ("ordinal", "Ordinal: only the order of answers counts"),
                    ("interval", "Interval: equal steps are equally large"),
                ],
                default="ordinal",
                max_length=8,
            ),
        ),
        migrations.AddConstraint(
            model_name="aspect",
            constraint=models.CheckConstraint(
                condition=Q(scale_min=None, scale_max=None)
                | Q(scale_min__lt=F("scale_max"), scale_max__lte=100),
                name="aspect_scale_has_both_ends_or_none",
            ),
        ),
        migrations.RemoveConstraint(
            model_name="annotation", name="annotation_on_a_scale"
        ),
        migrations.AlterField(
            model_name="annotation",
            name="value",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="annotation",
            constraint=models.CheckConstraint(
                condition=Q(value__range=(0, 100)) | Q(value=None),
                name="annotation_on_a_scale",
            ),
        ),
    ]
