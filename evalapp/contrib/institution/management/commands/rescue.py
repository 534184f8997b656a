from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from evalapp.contrib.institution import rescuing


class Command(BaseCommand):
    help = (
        "Print a link that logs in to an account once, for when the institution does"
        " not answer or nobody can log in any more."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.INSTITUTION is None:
            raise CommandError(
                "OIDC_URL is not set, so people log in with passwords: run"
                " manage.py changepassword NAME"
            )
        name = options["username"]
        user = User.objects.filter(username=name).first()
        if user is None:
            raise CommandError(f"there is no account {name}")
        if not user.is_active:
            raise CommandError(f"{name} is closed: run manage.py accounts open {name}")
        path = reverse("rescue", args=[rescuing.key_for(user=user)])
        self.stdout.write(
            f"This link works once, within {rescuing.MINUTES} minutes:\n"
            f"{settings.PUBLIC_URL}{path}"
        )
