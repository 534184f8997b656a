"""What a process loads before anybody has asked it for anything."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

# Half a second and more of the processor, and 60 MB: for who computes or draws.
HEAVY = {
    *("scipy.stats", "scipy.sparse", "scipy.special", "scipy.optimize"),
    *("plotly.graph_objs._figure", "torch", "transformers", "pyarrow", "openpyxl"),
    # What is there because something else needs it, or for another database.
    *("requests", "pygments", "tabulate", "psycopg"),
}
STARTS = {
    "web process": (
        "import evalapp.wsgi\n"
        "from django.urls import get_resolver\n"
        "assert 'scoring.urls' in sys.modules and get_resolver().url_patterns"
    ),
    "command": "from manage import main; sys.argv = ['manage.py', 'check']; main()",
    # As `celery worker` before its first task: all tasks, settings and signals.
    "worker": (
        "from evalapp.celery import app\n"
        "app.loader.import_default_modules()\n"
        "app.finalize()\n"
        "from celery.signals import worker_init\n"
        "worker_init.send(sender=app)\n"
        "assert 'scoring.tasks' in sys.modules and len(app.tasks) > 10"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("start", STARTS)
def test_a_start_loads_nothing_heavy(start, tmp_path, settings):
    code = f"import sys\n{STARTS[start]}\nprint(*sys.modules)"
    env = {**os.environ, "DATA_DIR": str(tmp_path), "DATABASE_URL": ""}
    env["DJANGO_SETTINGS_MODULE"] = "evalapp.settings"
    run = subprocess.run(
        [sys.executable, "-c", code],
        **{"cwd": settings.BASE_DIR, "env": env, "capture_output": True, "text": True},
    )
    assert run.returncode == 0, run.stderr
    loaded = set(run.stdout.split())
    assert "numpy" in loaded and not loaded & HEAVY
