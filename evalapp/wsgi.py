import gc
import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from evalapp import storage

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalapp.settings")

storage.hurry()
application = get_wsgi_application()
import_module(settings.ROOT_URLCONF)  # half a second: not for the first visitor
# Loaded for good: else the collector looks through all of it again and again.
gc.freeze()
