"""Reads the environment strictly: a typo stops the start instead of being guessed."""

from __future__ import annotations

import importlib.util
import os
import re
import secrets
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

OTHERS = stat.S_IRWXG | stat.S_IRWXO
CONNECTION = ("user", "password", "host", "port")
BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
SERVER = re.compile(r"([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])?(:\d{1,5})?")
REGION = re.compile(r"[a-z0-9-]{1,40}")


def text(name: str, default: str) -> str:
    """An empty value means the default."""
    return os.environ.get(name) or default


def boolean(name: str, default: bool) -> bool:
    """`DEBUG=no` is a mistake that would read as true elsewhere: refuse it."""
    value = os.environ.get(name, str(default))
    if value in {"1", "True", "true"}:
        return True
    if value in {"0", "False", "false"}:
        return False
    raise ImproperlyConfigured(f"{name}={value}: expected True or False.")


def integer(name: str, default: int, *, low: int, high: int) -> int:
    value = os.environ.get(name, str(default))
    whole = value.isascii() and value.isdecimal()
    if not whole or not low <= int(value) <= high:
        raise ImproperlyConfigured(
            f"{name}={value}: expected a whole number from {low} to {high}."
        )
    return int(value)


def choice(name: str, choices: tuple[str, ...], default: str) -> str:
    value = text(name, default)
    if value not in (*choices, default):
        raise ImproperlyConfigured(
            f"{name}={value}: expected one of {', '.join(choices)}."
        )
    return value


def words(name: str, default: str = "") -> list[str]:
    found = [word.strip() for word in os.environ.get(name, default).split(",")]
    return [word for word in found if word]


def secret(name: str) -> str:
    """A value, or what is in the file that `name`_FILE names; empty if neither is set.

    Whoever may list processes reads an environment, but not a private file.
    """
    path = os.environ.get(f"{name}_FILE")
    if not path:
        return os.environ.get(name, "")
    if os.environ.get(name):
        raise ImproperlyConfigured(f"Set either {name} or {name}_FILE, not both.")
    try:
        content = Path(path).read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        said = getattr(error, "strerror", None) or "it is not text"
        raise ImproperlyConfigured(
            f"{name}_FILE={path} cannot be read: {said}."
        ) from error
    if not content:
        raise ImproperlyConfigured(f"{name}_FILE={path} is empty.")
    return content


def folder(name: str, default: Path) -> Path:
    """An empty value means the default, never the folder that we happen to run in."""
    return Path(text(name, str(default))).resolve()


def make_private(folder: Path) -> None:
    """Make the folder that everything is written to, for its owner alone.

    One with the sticky bit, such as /tmp, belongs to many: it is left as it is. Where
    it is not ours to change, `manage.py check` warns.
    """
    advice = "Choose a folder that EvalApp's user may write to: DATA_DIR=/path."
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(
            f"DATA_DIR={folder} cannot be created: {error.strerror}. {advice}"
        ) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ImproperlyConfigured(f"DATA_DIR={folder} cannot be written to. {advice}")
    mode = folder.stat().st_mode
    if mode & OTHERS and not mode & stat.S_ISVTX:
        with suppress(OSError):
            folder.chmod(stat.S_IMODE(mode) & ~OTHERS)


def database(name: str, default: Path) -> dict[str, Any]:
    """What Django asks of a database: a file of SQLite, or a URL of PostgreSQL."""
    scheme, _, rest = text(name, f"sqlite:///{default}").partition("://")
    if scheme == "sqlite" and rest.startswith("/") and rest != "/":
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": rest[1:]}
    found = _postgres(f"{scheme}://{rest}") if scheme.startswith("postgres") else {}
    if "dbname" not in found:
        # Without the value: there may be a password in it.
        raise ImproperlyConfigured(
            f"{name}: expected postgres://USER:PASSWORD@HOST/NAME or sqlite:////PATH."
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": found.pop("dbname"),
        **{key.upper(): found.pop(key, "") for key in CONNECTION},
        "OPTIONS": found,
    }


def _postgres(url: str) -> dict[str, Any]:
    """Its parts as PostgreSQL's own library reads them; none where it cannot."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        return dict(conninfo_to_dict(url))
    except ProgrammingError:
        return {}


def storage(name: str) -> dict[str, Any]:
    """What Django asks of a storage: DATA_DIR, or a bucket of an S3-compatible server.

    No message holds the value: there may be a secret in it.
    """
    url = text(name, "")
    if not url:
        return {"BACKEND": "evalapp.storage.folder.Folder"}
    options = _bucket(name, url)
    missing = [one for one in ("storages", "boto3") if not _installed(one)]
    if missing:
        raise ImproperlyConfigured(
            f"{name} needs packages that are not installed: run"
            " `pip install -r requirements-server.txt`."
        )
    return {"BACKEND": "evalapp.storage.remote.Remote", "OPTIONS": options}


def _installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _bucket(name: str, url: str) -> dict[str, Any]:
    def refuse(why: str) -> ImproperlyConfigured:
        return ImproperlyConfigured(
            f"{name}: {why}. Expected s3://KEY:SECRET@HOST:PORT/BUCKET/PREFIX."
            " KEY:SECRET@ and PREFIX may be left out. In the secret, write / as %2F."
        )

    try:
        parts = urlsplit(url)
    except ValueError:
        raise refuse("this is not the address of a bucket") from None
    who, _, server = parts.netloc.rpartition("@")
    bucket, _, prefix = parts.path.lstrip("/").partition("/")
    prefix = unquote(prefix).strip("/")
    key, _, secret = (unquote(one) for one in who.partition(":"))
    if parts.scheme != "s3" or parts.fragment:
        raise refuse("this is not the address of a bucket")
    if "@" in parts.path or not SERVER.fullmatch(server):
        raise refuse("the host is not valid")
    if bool(key) != bool(secret) or (parts.netloc.count("@") and not key):
        raise refuse("there is a key without a secret, or a secret without a key")
    if not BUCKET.fullmatch(bucket):
        raise refuse("there is no bucket, or its name is not allowed")
    if ".." in prefix.split("/") or "//" in prefix:
        raise refuse("the prefix is not valid")
    asked = _asked_of_bucket(parts, refuse)
    secure = asked.get("secure", "1") == "1"
    options = {"bucket_name": bucket, "location": prefix, "use_ssl": secure}
    options["region_name"] = asked.get("region") or os.environ.get("AWS_REGION")
    if server:  # else Amazon's own
        options["endpoint_url"] = f"http{'s' * secure}://{server}"
        options["addressing_style"] = "path"
    if key:
        # None: a token in the environment belongs to another key.
        options |= {"access_key": key, "secret_key": secret, "security_token": None}
    return options


def _asked_of_bucket(
    parts: SplitResult, refuse: Callable[[str], ImproperlyConfigured]
) -> dict[str, str]:
    pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=False)
    asked = dict(pairs)
    bare = parts.query and parts.query.count("&") + 1 != len(pairs)
    if bare or len(asked) != len(pairs) or not asked.keys() <= {"region", "secure"}:
        raise refuse(
            "after the ?, only region=NAME and secure=0 are allowed, each once"
        )
    if asked.get("secure", "1") not in ("0", "1"):
        raise refuse("secure must be 0 or 1")
    if not REGION.fullmatch(asked.get("region", "any")):
        raise refuse("the region is not valid")
    return asked


def site(name: str, default: str) -> str:
    """Scheme and host under which people reach the site."""
    value = text(name, default)
    parts = urlsplit(value.strip())
    try:
        host = parts.port is None or parts.port > 0
    except ValueError:
        host = False
    extra = parts.path.strip("/") or parts.query or parts.fragment or parts.username
    if parts.scheme not in ("http", "https") or not parts.hostname or not host or extra:
        raise ImproperlyConfigured(
            f"{name}={value}: expected scheme and host, such as"
            " https://ratings.example.org."
        )
    return f"{parts.scheme}://{parts.netloc.lower()}"


def mail(name: str) -> dict[str, Any]:
    """The server that takes emails, in Django's settings; what sends none without one.

    No message holds the value: there is a password in it.
    """
    url = secret(name)
    if not url:
        return {"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"}
    try:
        parts = urlsplit(url.strip())
        port, host = parts.port, parts.hostname
    except ValueError:
        parts, port, host = urlsplit(""), None, None
    kind = parts.scheme if host else ""
    if kind not in ("smtp", "smtps", "smtp+tls") or parts.path.strip("/"):
        raise ImproperlyConfigured(
            f"{name}: expected smtps://USER:PASSWORD@HOST:PORT, or smtp+tls:// for"
            " STARTTLS, or smtp:// for a server on your own network."
        )
    usual = {"smtp": 25, "smtps": 465, "smtp+tls": 587}
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": host,
        "EMAIL_PORT": port or usual[kind],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": kind == "smtps",
        "EMAIL_USE_TLS": kind == "smtp+tls",
        "EMAIL_TIMEOUT": 20,  # seconds; Django waits for ever
    }


def secret_key(folder: Path) -> str:
    """SECRET_KEY, or a key made once and kept in `folder` for its owner alone."""
    if key := os.environ.get("SECRET_KEY"):
        return key
    path = folder / "secret_key"
    try:
        # O_EXCL: of two processes that start together one makes the key.
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return _written(path)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(50))
    return path.read_text()


def _written(path: Path) -> str:
    """Its content, which the process that made it may be about to write."""
    for _ in range(100):
        if content := path.read_text():
            return content
        time.sleep(0.01)
    raise ImproperlyConfigured(
        f"{path} is empty. Delete it, and EvalApp will create a new one."
    )
