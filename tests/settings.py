"""The app's own settings on a folder of this test run's own."""

import atexit
import os
import shutil
import tempfile
from urllib.parse import urlsplit

_folder = tempfile.mkdtemp(prefix="evalapp-tests-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["DATA_DIR"] = _folder
os.environ.setdefault("HF_HUB_OFFLINE", "1")
_names = (
    "PUBLIC_URL DEBUG SECRET_KEY ALLOWED_HOSTS MODELS_DIR HUB HUB_MODELS"
    " STORAGE_URL CACHE_DIR CACHE_MAX_GB PASSWORD_LOGIN METRICS_TOKEN LOG_FORMAT"
    " PROLIFIC_TOKEN PROLIFIC_TOKEN_FILE PROLIFIC_URL PROLIFIC_WORKSPACES"
    " METRICS_TOKEN_FILE EMAIL_URL EMAIL_URL_FILE EMAIL_FROM EMAIL_BY_WORKER"
    " PULSE_FILE"
)
_oidc = [name for name in os.environ if name.startswith("OIDC_")]
for _name in [*_names.split(), *_oidc]:
    os.environ.pop(_name, None)


def _database_of_its_own(broker: str, process: str) -> str:
    """Of Redis, as each process of pytest-xdist also has its own on PostgreSQL.

    Messages of one must not wake the workers of another.
    """
    url = urlsplit(broker)
    number = int(url.path.strip("/") or 0) + int(process.removeprefix("gw"))
    return url._replace(path=f"/{number}").geturl()


_broker = os.environ.get("CELERY_BROKER_URL", "")
if _broker.startswith("redis") and "PYTEST_XDIST_WORKER" in os.environ:
    _process = os.environ["PYTEST_XDIST_WORKER"]
    os.environ["CELERY_BROKER_URL"] = _database_of_its_own(_broker, _process)

from evalapp.settings import *  # noqa: E402, F403

if "init_command" in (_options := DATABASES["default"].get("OPTIONS", {})):  # noqa: F405
    # SQLite need not wait for the disk: no test outlives a power cut.
    _options["init_command"] += "PRAGMA synchronous=OFF;"
# The real hasher takes most of a test's time.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ALLOWED_HOSTS += ["testserver"]  # noqa: F405
MIDDLEWARE = [
    "tests.support.assets.AssetsOnce"
    if name == "evalapp.assets.serving.Assets"
    else name
    for name in MIDDLEWARE  # noqa: F405
]
# Most metrics have a model of the hub as their usual one. None is ever downloaded.
HUB = "on"
# The server of browser tests finds files by their own names only.
STORAGES = {
    **STORAGES,  # noqa: F405
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
