import os

from celery import Celery
from celery.signals import worker_ready, worker_shutdown, worker_shutting_down

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalapp.settings")

app = Celery("evalapp")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_ready.connect
def start_pulse(**_: object) -> None:
    from scoring import pulse

    pulse.start()


@worker_shutting_down.connect
def interrupt(**_: object) -> None:
    from scoring import worker

    worker.stop()


@worker_shutdown.connect
def stop_pulse(**_: object) -> None:
    from scoring import pulse

    pulse.stop()
