from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from evalapp.accounts import tokens


class Command(BaseCommand):
    # The name that Django REST framework's own had, for scripts that call it.
    help = "Make an API token for an account, and print its key once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--name", default="Command line", help="what it is for")
        parser.add_argument("--days", type=int, help="when it ends; never if left out")
        parser.add_argument(
            *("-r", "--reset"),
            action="store_true",
            help="end all other tokens of the account",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        users, name = get_user_model(), options["username"]
        try:
            user = users.objects.get_by_natural_key(name)
        except users.DoesNotExist:
            raise CommandError(f"there is no account {name}") from None
        if options["reset"]:
            tokens.end_all(user=user)
        _, key = tokens.make(
            user=user,
            name=options["name"],
            now=timezone.now(),
            days=options["days"],
        )
        self.stdout.write(f"Generated token {key} for user {name}")
