from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evalapp import licences


class Command(BaseCommand):
    help = "List the licences of all installed packages."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check",
            action="store_true",
            help="fail if a licence is neither permissive nor MPL or LGPL",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        packages = licences.installed()
        for package in packages:
            line = f"{package.name} {package.version}: {package.licence}"
            note = f" ({package.note})" if package.note else ""
            self.stdout.write(line + note)
        refused = licences.refused(packages)
        if options["check"] and refused:
            raise CommandError(
                "Expected permissive licences, MPL or LGPL, got "
                + ", ".join(f"{one.licence} of {one.name}" for one in refused)
                + ". Replace the package, or add it to evalapp/licences.py with the"
                " reason why it stays."
            )
