"""The one settings file. Everything comes from the environment.

The defaults let a fresh clone run on SQLite with no service.
"""

import os
from pathlib import Path
from urllib.parse import urlsplit

from csp.constants import NONCE, NONE, SELF

from evalapp import __version__, doors, environment
from evalapp.accounts import institution_settings
from evalapp.api import openapi
from evalapp.system import logs
from evalapp.work import queues

VERSION = __version__
BASE_DIR = Path(__file__).resolve().parent.parent

# Everything the app writes lies here, so a second instance needs only another folder.
DATA_DIR = environment.folder("DATA_DIR", BASE_DIR / "var")
environment.make_private(DATA_DIR)
# The same for what this process, and any that it starts, writes there or elsewhere.
os.umask(0o077)
# Model folders that people may name in the browser or the API.
MODELS_DIR = environment.folder("MODELS_DIR", DATA_DIR / "models")

# Whether models may be downloaded from the hub: off, on, or the names in HUB_MODELS.
# Left empty: on for commands, off for the browser and the API.
HUB = environment.choice("HUB", ("off", "list", "on"), "")
HUB_MODELS = environment.words("HUB_MODELS")

DEBUG = environment.boolean("DEBUG", False)
SECRET_KEY = environment.secret_key(DATA_DIR)
PUBLIC_URL = environment.site("PUBLIC_URL", "http://127.0.0.1:8000")
ALLOWED_HOSTS = [
    urlsplit(PUBLIC_URL).hostname or "",
    "127.0.0.1",
    "localhost",
    *environment.words("ALLOWED_HOSTS"),
]

# Names of contrib apps whose doors are open. Their tables are always there.
CONTRIB = doors.from_environment()

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "csp",
    "evalapp.limits",
    "evalapp.accounts",
    "evalapp.spending",
    "evalapp.system",
    "annotation",
    "scoring",
    *doors.installed(CONTRIB),
]

MIDDLEWARE = [
    "evalapp.system.following.follow",  # first: its number is in all that others log
    *doors.outer_middleware(CONTRIB),
    "evalapp.system.views.ahead",
    # Outside all that answers or refuses by itself: a page of 400 is a page, too.
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "evalapp.assets.serving.Assets",
    # Behind the files that do not change: these may be kept by browsers.
    "evalapp.limits.headers.private",
    "evalapp.limits.refusing.understood",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    # Closed by default: worker pages open themselves with @login_not_required.
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    # What a member of a study may not do there ends here.
    "annotation.access.Roles",
    "evalapp.limits.once.AtMostOnce",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "evalapp.limits.refusing.not_that_way",
    "annotation.crowd.visitors.remember",
    "annotation.crowd.speaking.one_request",
    # Last: what these change must not be undone, and holds for the pages alone.
    *doors.inner_middleware(CONTRIB),
]

ROOT_URLCONF = "evalapp.urls"
WSGI_APPLICATION = "evalapp.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# Database -----------------------------------------------------------------------------

DATABASES = {"default": environment.database("DATABASE_URL", DATA_DIR / "db.sqlite3")}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        # A deferred transaction that first reads and then writes fails with "database
        # is locked" under load; an immediate one waits its turn.
        "transaction_mode": "IMMEDIATE",
        # Seconds. Who waits asks again at intervals, and luck decides: after 20, some
        # of 200 people at once had none yet.
        "timeout": 60,
        "init_command": (
            # FULL: an answer that is said to be saved outlives a power cut, too. What
            # it costs: benchmarks/durability.md.
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
            "PRAGMA busy_timeout=60000;"
            # What is deleted is written over with zeros. Some builds do so by
            # themselves, others leave it in the file until its room is needed.
            "PRAGMA secure_delete=ON;"
        ),
    }
    # Threads and the live server cannot share SQLite's in-memory test database.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
else:
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# Opening SQLite's file again for each request takes longer than most queries.
DATABASES["default"]["CONN_MAX_AGE"] = 60

# Queue --------------------------------------------------------------------------------

CELERY_BROKER_URL = environment.text("CELERY_BROKER_URL", "filesystem://")
if CELERY_BROKER_URL.startswith("filesystem"):
    CELERY_BROKER_URL = "filesystem://localhost"  # kombu warns if it names no host
    _queue, _control = DATA_DIR / "broker" / "queue", DATA_DIR / "broker" / "control"
    for _folder in (_queue, _control):
        _folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, str | float] = {
        "data_folder_in": str(_queue),  # the same folder for both sides
        "data_folder_out": str(_queue),
        "control_folder": str(_control),
        # Seconds. By default a worker looks once a second: each statistic began up to a
        # second late, and a worker took four to stop.
        "polling_interval": 0.2,
    }
elif CELERY_BROKER_URL.startswith("redis"):
    # By default a message of a killed worker returns only after an hour.
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        # By default a request waits for minutes for a host that does not answer.
        "socket_connect_timeout": 5,
        "visibility_timeout": 600,
        "unacked_restore_interval": 10,
        "unacked_restore_throttle": 1,
    }
CELERY_WORKER_ENABLE_REMOTE_CONTROL = not CELERY_BROKER_URL.startswith("filesystem")
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_POOL = "solo"  # a forked child hangs forever once torch was used
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Empty: this process sends no email. Read from a file with EMAIL_URL_FILE.
_mail = environment.mail("EMAIL_URL")
globals().update(_mail)
EMAIL_HERE = "EMAIL_HOST" in _mail
# A message names the queue of its row. A worker that names no queues takes all these.
CELERY_TASK_QUEUES = {
    name: {"exchange": name, "exchange_type": "direct"}
    for name in queues.of_process(sends_mail=EMAIL_HERE)
}
CELERY_TASK_DEFAULT_QUEUE = queues.DEFAULT
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]

# Of a training; then others get their turn, and brokers do not wait much longer.
TRAINING_SLICE_SECONDS = environment.integer(
    "TRAINING_SLICE_SECONDS", 240, low=1, high=300
)

# Where metrics compute: auto, cpu, cuda, cuda:1, mps.
DEVICE = environment.text("DEVICE", "auto")

# People -------------------------------------------------------------------------------

LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "studies"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
] + [{"NAME": "evalapp.accounts.passwords.EndsTokens"}]
# Of researchers, in the database: what a log-out deletes lets nobody in any more. Not
# "sessionid": that cookie is the workers' (annotation/crowd/visitors.py).
SESSION_COOKIE_NAME = "researcher"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_AGE = 60 * 60 * 24 * 30

# None without OIDC_URL: then there is no app, no middleware and no address of it.
INSTITUTION = institution_settings.from_environment()
PASSWORD_LOGIN = institution_settings.password_login(INSTITUTION)
# A token of an account of the institution rests when its owner has not logged in there
# for so long: whoever has left cannot log in to be refused.
OIDC_TOKEN_DAYS = environment.integer("OIDC_TOKEN_DAYS", 30, low=1, high=3650)
if INSTITUTION:
    # First: `evalapp.accounts` takes their tables out of the administration.
    INSTALLED_APPS = [*institution_settings.APPS, *INSTALLED_APPS]
    MIDDLEWARE += institution_settings.MIDDLEWARE
    SOCIALACCOUNT_ONLY = True  # nothing of its own passwords and sign-up
    SOCIALACCOUNT_ADAPTER = "evalapp.contrib.institution.protocol.Adapter"
    ACCOUNT_EMAIL_VERIFICATION = "none"
    # Seconds for each question to the provider; a thread of the site waits for it.
    SOCIALACCOUNT_REQUESTS_TIMEOUT = 5

# From one address; a worker may start a thirtieth of it. A lecture hall shares one
# address; a script that enrols workers does not stop there.
STARTS_PER_MINUTE = environment.integer("STARTS_PER_MINUTE", 600, low=1, high=100_000)

# Of researchers' pages. Worker pages are in the language of their study: one of these,
# each with a folder in annotation/locale.
LANGUAGE_CODE = "en"
LANGUAGES = [
    ("en", "English"),
    ("ar", "Arabic (العربية)"),
    ("zh-hans", "Chinese, simplified (简体中文)"),
    ("fr", "French (français)"),
    ("de", "German (Deutsch)"),
    ("hi", "Hindi (हिन्दी)"),
    ("it", "Italian (italiano)"),
    ("ja", "Japanese (日本語)"),
    ("pl", "Polish (polski)"),
    ("pt-br", "Portuguese, Brazil (português)"),
    ("es", "Spanish (español)"),
]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

# Recruiting ---------------------------------------------------------------------------

# Empty: nothing is asked of Prolific. Read from a file with PROLIFIC_TOKEN_FILE.
PROLIFIC_TOKEN = environment.secret("PROLIFIC_TOKEN").strip()
PROLIFIC_URL = environment.site("PROLIFIC_URL", "https://api.prolific.com")
# What a study, and all studies in a month, may cost there, in its currency, with fees.
PROLIFIC_STUDY_MAX = environment.integer("PROLIFIC_STUDY_MAX", 1000, low=0, high=10**9)
PROLIFIC_MONTH_MAX = environment.integer("PROLIFIC_MONTH_MAX", 5000, low=0, high=10**9)
# Ids of our workspaces there. Empty: links need no signature.
PROLIFIC_WORKSPACES = environment.words("PROLIFIC_WORKSPACES")

# Whether this site sends email: the process that pages come from needs no password.
EMAIL_READY = EMAIL_HERE or environment.boolean("EMAIL_BY_WORKER", False)
DEFAULT_FROM_EMAIL = environment.text(
    "EMAIL_FROM", f"evalapp@{urlsplit(PUBLIC_URL).hostname}"
)
MAIL_STUDY_MAX = environment.integer("MAIL_STUDY_MAX", 2000, low=0, high=10**9)
MAIL_MONTH_MAX = environment.integer("MAIL_MONTH_MAX", 10_000, low=0, high=10**9)

# Files --------------------------------------------------------------------------------

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)  # whitenoise warns of a missing folder
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    # What one process writes and another one reads: see evalapp/storage.
    "data": environment.storage("STORAGE_URL"),
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "evalapp.assets.hashing.HashedStorage"},
}
# Copies of what STORAGE_URL holds. Without it there are none.
CACHE_DIR = environment.folder("CACHE_DIR", DATA_DIR / "cache")
CACHE_MAX_BYTES = 1024**3 * environment.integer("CACHE_MAX_GB", 20, low=1, high=100_000)
WHITENOISE_USE_FINDERS = True  # a clone runs without collectstatic
UPLOAD_MAX_BYTES = (
    1024 * 1024 * environment.integer("UPLOAD_MAX_MB", 64, low=1, high=4096)
)
UPLOAD_MAX_ROWS = environment.integer(
    "UPLOAD_MAX_ROWS", 100_000, low=1_000, high=1_000_000
)
UPLOAD_MAX_CHARACTERS = environment.integer(  # of one text
    "UPLOAD_MAX_CHARACTERS", 20_000, low=1_000, high=1_000_000
)
# What the child process that reads a packed file may take: see evalapp/cage.
READING_MAX_SECONDS = environment.integer("READING_MAX_SECONDS", 50, low=5, high=3600)
READING_MAX_BYTES = (
    1024 * 1024 * environment.integer("READING_MAX_MB", 1024, low=256, high=65_536)
)
FILE_UPLOAD_TEMP_DIR = None
FILE_UPLOAD_HANDLERS = [
    "evalapp.limits.uploads.Bounded",  # first: it stops what the others would store
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024

# Security -----------------------------------------------------------------------------

HTTPS = PUBLIC_URL.startswith("https://")
# Whether a proxy in front tells us who asks, and by which scheme.
BEHIND_PROXY = environment.boolean("BEHIND_PROXY", HTTPS)
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^health/$"]  # load balancers ask past the proxy
SECURE_HSTS_SECONDS = 60 * 60 * 24 * 365 if HTTPS else 0
# Other sites of an institution may still have plain HTTP, and a list that browsers come
# with is left only after months. So both are asked for, and not missed by `check`.
_hsts = environment.choice("HSTS", ("host", "subdomains", "preload"), "host")
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS and _hsts != "host"
SECURE_HSTS_PRELOAD = HTTPS and _hsts == "preload"
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_REFERRER_POLICY = "same-origin"  # a worker's link never leaves with a click
X_FRAME_OPTIONS = "DENY"
if HTTPS:
    CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
    if BEHIND_PROXY:
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, NONCE],  # said where a page has an import map
        "style-src": [SELF],
        # plotly draws heatmaps with style attributes; style elements stay forbidden.
        "style-src-attr": ["'unsafe-inline'"],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
    }
}

# API ----------------------------------------------------------------------------------

REST_FRAMEWORK = {
    # DRF's views opt out of LoginRequiredMiddleware by themselves.
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "annotation.access.MayAsk",
        "evalapp.limits.once.HasKeyOfItsOwn",  # last
    ],
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "evalapp.accounts.authentication.HashedTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_SCHEMA_CLASS": "evalapp.api.schema.Described",
    "DEFAULT_PARSER_CLASSES": [
        "evalapp.api.parsers.JSONParser",
        "evalapp.api.parsers.FormParser",
        "evalapp.api.parsers.MultiPartParser",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "EXCEPTION_HANDLER": "evalapp.api.errors.handler",
    "DEFAULT_PAGINATION_CLASS": "evalapp.api.pages.Pages",
    "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.UserRateThrottle"],
    # Else a request could name another address for each guess of a password.
    "NUM_PROXIES": int(BEHIND_PROXY),
    # Of each process of the site: it bounds load, and guards no secret.
    "DEFAULT_THROTTLE_RATES": {"user": "600/min"},
}
SPECTACULAR_SETTINGS = {**openapi.SETTINGS, "VERSION": VERSION}

# Watching -----------------------------------------------------------------------------

LOGGING = logs.configured(
    form=environment.choice("LOG_FORMAT", ("line", "json"), "line"),
    level=environment.text("LOG_LEVEL", "WARNING"),
)
# A worker writes its sign of life here, too, where a container is watched by a file.
PULSE_FILE = environment.text("PULSE_FILE", "")
# What Prometheus must send to read /metrics. Left empty: there are no figures.
METRICS_TOKEN = environment.secret("METRICS_TOKEN").strip()
