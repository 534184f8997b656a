from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from evalapp.accounts import closing, tokens
from evalapp.spending import permission

ACTIONS = ("list", "close", "open", "unlink", "may-spend", "may-not-spend")


class Command(BaseCommand):
    help = (
        "List accounts and when their owners last logged in; close one (its sessions"
        " and tokens end at once), open it again, or unlink it from the institution."
        " may-spend lets one spend the site's money and send its email."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", nargs="?", choices=ACTIONS, default="list")
        parser.add_argument("username", nargs="?")

    def handle(self, *args: Any, **options: Any) -> None:
        action, name = options["action"], options["username"]
        if action == "list":
            return self._list()
        user = User.objects.filter(username=name).first()
        if user is None:
            raise CommandError(f"there is no account {name}" if name else "which one?")
        return getattr(self, f"_{action.replace('-', '_')}")(user)

    def _list(self) -> None:
        now = timezone.now()
        accounts = User.objects.select_related("identity").prefetch_related("tokens")
        for user in accounts.order_by("username"):
            identity = getattr(user, "identity", None)
            seen = identity.seen_at if identity else user.last_login
            n_tokens = sum(not token.has_ended(now) for token in user.tokens.all())
            facts = [
                "institution" if identity else "password",
                f"last login {seen:%Y-%m-%d}" if seen else "never logged in",
                "staff" if user.is_staff else "",
                "may spend" if permission.may_spend(user) and not user.is_staff else "",
                f"tokens: {n_tokens}" if n_tokens else "",
                "tokens suspended" if tokens.rests(user=user, now=now) else "",
                "" if user.is_active else self._why_closed(identity),
            ]
            self.stdout.write(f"{user}: {', '.join(filter(None, facts))}")

    def _why_closed(self, identity: Any) -> str:
        if identity and identity.refused_at:
            return f"refused by the institution since {identity.refused_at:%Y-%m-%d}"
        return "closed"

    def _close(self, user: User) -> None:
        closing.close(user=user)
        self.stdout.write(f"{user} is closed. Its sessions and tokens have ended.")

    def _open(self, user: User) -> None:
        closing.reopen(user=user, now=timezone.now())
        self.stdout.write(f"{user} is open again.")

    def _may_spend(self, user: User) -> None:
        permission.allow(user)
        self.stdout.write(f"{user} may spend the site's money and send its email.")

    def _may_not_spend(self, user: User) -> None:
        permission.disallow(user)
        still = permission.may_spend(User.objects.get(pk=user.pk))
        why = ", but is staff or has the permission by hand" if still else ""
        self.stdout.write(f"{user} is not in the group that may spend{why}.")

    def _unlink(self, user: User) -> None:
        identity = getattr(user, "identity", None)
        if identity is None:
            raise CommandError(f"{user} is not linked to an institution")
        closing.unlink(identity=identity, now=timezone.now())
        self.stdout.write(
            f"{user} is no longer linked. Set a password, or link it again."
        )
