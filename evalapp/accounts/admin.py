from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest

from evalapp.accounts.models import Identity, Token


@admin.register(Token)
class TokenAdmin(admin.ModelAdmin):
    """To look at and to revoke. Only its owner makes a token, on the Account page."""

    list_display = ("name", "user", "created_at", "used_on", "expires_at")
    list_select_related = ("user",)
    search_fields = ("name", "user__username")
    exclude = ("digest",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj=None) -> bool:
        return False


@admin.register(Identity)
class IdentityAdmin(admin.ModelAdmin):
    """To look at. `manage.py accounts unlink` also ends what its groups granted."""

    list_display = ("user", "issuer", "subject", "seen_at", "refused_at")
    list_select_related = ("user",)
    search_fields = ("user__username", "subject")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj=None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj=None) -> bool:
        """With an account its identity goes, too; else no account could be deleted."""
        return request.user.is_superuser


if settings.INSTITUTION:
    # allauth's tables stay empty: an app or an account entered there would do nothing.
    for model in list(admin.site._registry):
        if model.__module__.startswith("allauth."):
            admin.site.unregister(model)
