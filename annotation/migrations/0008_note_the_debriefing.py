from itertools import groupby

from django.db import migrations, models


def infer(apps, schema_editor):
    """Say who has read the debriefing, and which pages came after it.

    Until now it stood on the page that follows a page's submission, unless the worker
    went on: then the next page was claimed at the very moment of the submission, or was
    one that they had begun before.
    """
    Worker = apps.get_model("annotation", "Worker")
    Seat = apps.get_model("annotation", "Seat")
    seats = Seat.objects.filter(worker__study__simulated=False).order_by("worker_id")
    rows = list(seats.values_list("worker_id", "pk", "claimed_at", "submitted_at"))
    for worker, own in groupby(rows, key=lambda row: row[0]):
        pages = [(pk, begun, ended) for _, pk, begun, ended in own]
        if (first := first_end(pages)) is None:
            continue
        Worker.objects.filter(pk=worker).update(debriefed_at=first)
        later = [pk for pk, _, ended in pages if ended and ended > first]
        Seat.objects.filter(pk__in=later).update(informed=True)
    # The times of their pages are deleted.
    gone = Worker.objects.filter(state="withdrawn", debriefed_at=None)
    gone.update(debriefed_at=models.F("state_at"))


def first_end(pages):
    """When the worker first handed in a page without going on; None if never."""

    def went_on(at):
        return any(
            begun == at or (begun < at and ended and ended > at)
            for _, begun, ended in pages
        )

    ends = [ended for *_, ended in pages if ended and not went_on(ended)]
    return min(ends, default=None)


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0007_newcomers_and_proofs'),
    ]

    operations = [
        migrations.AddField(
            model_name='worker',
            name='debriefed_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='seat',
            name='informed',
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(infer, migrations.RunPython.noop),
    ]
