from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections

from evalapp import upgrades


class Command(migrate.Command):
    """Django's, where the database is not too old for it."""

    def handle(self, *args: Any, **options: Any) -> None:
        if upgrades.is_too_old(connections[options["database"]]):
            raise CommandError(upgrades.TOO_OLD)
        super().handle(*args, **options)
