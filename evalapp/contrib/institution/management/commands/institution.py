from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from annotation.models import Study
from evalapp.accounts.institution_settings import Institution


class Command(BaseCommand):
    help = "Show how people log in at the institution, and test the provider."

    def handle(self, *args: Any, **options: Any) -> None:
        institution = settings.INSTITUTION
        if institution is None:
            raise CommandError("OIDC_URL is not set: people log in with passwords")
        from evalapp.contrib.institution import protocol

        say = self.stdout.write
        say(f"Register this address with the provider: {protocol.callback_url()}")
        say(f"Button: Log in with {institution.name}")
        say(f"Log in with a password: {'yes' if settings.PASSWORD_LOGIN else 'no'}")
        self._say_groups(institution)
        try:
            found = protocol.discover()
        except protocol.Problem as problem:
            raise CommandError(
                f"{institution.url} cannot be used: {problem.told}"
            ) from problem
        say(f"{institution.url} answers.")
        offers = "yes" if found.get("end_session_endpoint") else "no"
        say(f"Log out at the institution, too: {offers}")
        missing = set(institution.scopes) - set(found.get("scopes_supported") or ())
        if missing and found.get("scopes_supported"):
            say(f"The provider does not list the scopes {', '.join(sorted(missing))}.")

    def _say_groups(self, institution: Institution) -> None:
        say = self.stdout.write
        allowed = ", ".join(sorted(institution.allowed_groups)) or "everybody"
        say(f"May log in: {allowed} (claim “{institution.groups_claim}”)")
        say(f"Staff: {institution.staff_group or 'by hand only'}")
        say(f"May spend: staff, {institution.spending_group or 'others by hand only'}")
        names = set(Study.objects.values_list("name", flat=True))
        for group, roles in institution.study_groups.items():
            for study, role in roles.items():
                known = "" if study in names else " (there is no such study)"
                say(f"{group}: {role} of {study}{known}")
