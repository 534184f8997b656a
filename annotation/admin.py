"""For a superuser who has to look. Nothing here is needed for a study's work.

Records are only read: what people and workers wrote is changed by the pages, which keep
it whole and write the log.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.contrib.admin.views.decorators import staff_member_required
from django.http import HttpRequest

from annotation.models import (
    Annotation,
    Aspect,
    AttributeLabel,
    Generation,
    Import,
    Member,
    Place,
    Policy,
    Prompt,
    Seat,
    Study,
    Survey,
    System,
    Verdict,
    Worker,
)

# The site's own login is the one that counts wrong passwords.
admin.site.login = staff_member_required(admin.site.login, login_url=settings.LOGIN_URL)


class ReadOnly(admin.ModelAdmin):
    """Rows to look at. Staff see all studies in the site; raw rows only superusers."""

    list_per_page = 50

    def has_module_permission(self, request: HttpRequest) -> bool:
        return request.user.is_superuser

    def has_view_permission(self, request: HttpRequest, obj=None) -> bool:
        return request.user.is_superuser

    def has_add_permission(self, request: HttpRequest, obj=None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj=None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj=None) -> bool:
        return False


@admin.register(Study)
class StudyAdmin(ReadOnly):
    list_display = ("name", "state", "simulated", "archived_at", "deleted_at")
    list_filter = ("state", "simulated")
    search_fields = ("name",)


@admin.register(Member)
class MemberAdmin(ReadOnly):
    list_display = ("study", "user", "role", "since")
    list_filter = ("role",)
    list_select_related = ("study", "user")
    search_fields = ("study__name", "user__username")

    def has_delete_permission(self, request: HttpRequest, obj=None) -> bool:
        """With an account its memberships go, too; else no account could be deleted."""
        return request.user.is_superuser


@admin.register(Generation)
class GenerationAdmin(ReadOnly):
    list_display = ("key", "study", "system", "sample")
    list_select_related = ("study", "system")
    search_fields = ("key", "text")


@admin.register(Prompt)
class PromptAdmin(ReadOnly):
    list_display = ("__str__", "label", "study")
    list_select_related = ("study", "label")


@admin.register(Seat)
class SeatAdmin(ReadOnly):
    list_display = ("__str__", "survey", "state", "claimed_at", "submitted_at")
    list_filter = ("state",)
    list_select_related = ("survey",)


@admin.register(Annotation)
class AnnotationAdmin(ReadOnly):
    list_display = ("__str__", "seat", "generation", "negative", "updated_at")
    list_select_related = ("aspect", "seat", "generation", "negative")


@admin.register(Verdict)
class VerdictAdmin(ReadOnly):
    list_display = ("seat", "valid", "reason", "judged_at")
    list_select_related = ("seat",)


@admin.register(Aspect, AttributeLabel, Import, Policy, System, Worker)
class PartAdmin(ReadOnly):
    list_display = ("__str__", "study")
    list_select_related = ("study",)


@admin.register(Survey, Place)
class PageAdmin(ReadOnly):
    list_display = ("__str__", "study")
    list_select_related = ("study",)
