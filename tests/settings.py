"""The app's own settings on a folder of this test run's own."""

import atexit
import os
import shutil
import tempfile

_folder = tempfile.mkdtemp(prefix="evalapp-tests-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["DATA_DIR"] = _folder
os.environ.setdefault("HF_HUB_OFFLINE", "1")
_names = "PUBLIC_URL DEBUG SECRET_KEY ALLOWED_HOSTS MODELS_DIR HUB HUB_MODELS"
for _name in _names.split():
    os.environ.pop(_name, None)

from evalapp.settings import *  # noqa: E402, F403

# The real hasher takes most of a test's time.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ALLOWED_HOSTS += ["testserver"]  # noqa: F405
MIDDLEWARE = [
    "tests.assets.AssetsOnce" if name == "evalapp.assets.serving.Assets" else name
    for name in MIDDLEWARE  # noqa: F405
]
# Most metrics have a model of the hub as their usual one. None is ever downloaded.
HUB = "on"
# The server of browser tests finds files by their own names only.
STORAGES = {
    **STORAGES,  # noqa: F405
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
