import os

from celery import Celery
from celery.signals import (
    task_postrun,
    worker_init,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalapp.settings")

app = Celery("evalapp")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.autodiscover_tasks(["evalapp.work"])


@worker_init.connect
def wait_without_spinning(**_: object) -> None:
    # Read when torch is first imported. Its threads otherwise wait for each other in a
    # busy loop: beside one other busy process, scoring then took eight times as long.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


@worker_init.connect
def look_for_the_device(**_: object) -> None:
    from django.conf import settings

    from scoring.runs import devices

    devices.stop_without(settings.DEVICE)


@worker_ready.connect
def start_pulse(**_: object) -> None:
    from scoring import pulse

    # Asked at each beat: an operator may add queues to a running worker.
    pulse.start(lambda: list(app.amqp.queues.consume_from))


@task_postrun.connect
def let_go(**_: object) -> None:
    # An error outside of an attempt would leave its row with this worker for ever.
    from evalapp.work import leases

    leases.let_go()


@worker_shutting_down.connect
def interrupt(**_: object) -> None:
    from evalapp.work import retries

    retries.stop()


@worker_shutdown.connect
def stop_pulse(**_: object) -> None:
    from scoring import pulse

    pulse.stop()
