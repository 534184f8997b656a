import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalapp.settings")

app = Celery("evalapp")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
