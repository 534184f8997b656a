from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from evalapp.accounts.models import Token


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
