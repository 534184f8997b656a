from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from evalapp.spending.models import Budget


@admin.register(Budget)
class BudgetAdmin(admin.ModelAdmin):
    """To look at. What was spent cannot be made unspent."""

    list_display = ("purpose", "scope", "spent")
    search_fields = ("purpose", "scope")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj=None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj=None) -> bool:
        return False
