# make demo   install, fill a sample study, score it, serve it on 127.0.0.1:8000
# make test   install, run all tests but the slow ones (ARGS='-m "" --migrations': those, too)
# Both need Python 3.11 and nothing else. TORCH_ARGS is handed to pip when it installs
# torch, to take a CPU-only build for example.

PYTHON ?= python3
PIP = .venv/bin/python -m pip install --quiet --disable-pip-version-check
ARGS ?=

.PHONY: demo test lint clean

demo: .venv/.installed
	.venv/bin/python manage.py demo $(if $(MODEL),--model $(MODEL)) $(if $(IWF),--iwf $(IWF)) $(ARGS)

# Two processes: each collects 16,000 tests first. Those of one file stay together, as
# they share fixtures. ARGS="-n 0" runs one after the other.
# An empty expression of markers takes the place of the one in .pytest.ini. Where
# compiled files may not be written, each process would compile everything itself.
test: export PYTHONDONTWRITEBYTECODE =
test: .venv/.installed-dev
	.venv/bin/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder $(ARGS)

lint: .venv/.installed-dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/python manage.py makemigrations --check --dry-run

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "EvalApp needs Python 3.11 or newer, found " + sys.version.split()[0])'
	$(PYTHON) -m venv .venv

# torch first and alone: what follows is then content with the build that is there.
.venv/.installed: requirements.txt | .venv/bin/python
	@echo "Installing into .venv (once; torch is large)"
	$(PIP) $$(grep '^torch==' requirements.txt) $(TORCH_ARGS)
	$(PIP) -r requirements.txt
	@touch $@

.venv/.installed-dev: requirements-dev.txt .venv/.installed
	$(PIP) -r requirements-dev.txt
	@touch $@

clean:
	rm -rf .venv var
