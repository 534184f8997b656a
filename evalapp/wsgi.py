import os

from django.core.wsgi import get_wsgi_application

from evalapp import storage

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalapp.settings")

storage.hurry()
application = get_wsgi_application()
