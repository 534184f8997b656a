from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from evalapp.limits import login


class Command(BaseCommand):
    help = (
        "Let someone try passwords again at once, instead of after a minute. Without"
        " a name: list the accounts that have to wait."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", nargs="?", help="the account")
        parser.add_argument("--address", help="everybody at this address")

    def handle(self, *args: Any, **options: Any) -> None:
        name, address = options["username"], options["address"]
        if name:
            self._tell(name, login.unlock_name(name))
        if address:
            self._tell(address, login.unlock_address(address))
        if not name and not address:
            self._list()

    def _tell(self, who: str, n: int) -> None:
        if not n:
            raise CommandError(f"nobody has entered a wrong password for {who} lately")
        self.stdout.write(f"{who} can log in again.")

    def _list(self) -> None:
        found = login.locked_names(now=timezone.now())
        for name, end in sorted(found.items()):
            self.stdout.write(f"{name} waits until {end:%H:%M:%S} UTC")
        if not found:
            self.stdout.write("No account has to wait.")
