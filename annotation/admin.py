"""For a superuser who has to look. Nothing here is needed for a study's work."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.contrib.admin.views.decorators import staff_member_required

from annotation.models import (
    Annotation,
    Aspect,
    AttributeLabel,
    Generation,
    Import,
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


class SuperuserOnly(admin.ModelAdmin):
    """Staff see all studies in the site; only superusers may touch raw rows."""

    list_per_page = 50

    def has_module_permission(self, request) -> bool:
        return request.user.is_superuser


@admin.register(Study)
class StudyAdmin(SuperuserOnly):
    list_display = ("name", "owner", "state", "simulated", "created_at")
    list_filter = ("state", "simulated")
    search_fields = ("name",)


@admin.register(Generation)
class GenerationAdmin(SuperuserOnly):
    list_display = ("key", "study", "system", "sample")
    list_select_related = ("study", "system")
    raw_id_fields = ("study", "prompt", "system", "imported")
    search_fields = ("key", "text")


@admin.register(Prompt)
class PromptAdmin(SuperuserOnly):
    list_display = ("__str__", "label", "study")
    list_select_related = ("study", "label")
    raw_id_fields = ("study", "label")


@admin.register(Seat)
class SeatAdmin(SuperuserOnly):
    list_display = ("__str__", "survey", "state", "claimed_at", "submitted_at")
    list_filter = ("state",)
    list_select_related = ("survey",)
    raw_id_fields = ("survey", "place", "worker")


@admin.register(Annotation)
class AnnotationAdmin(SuperuserOnly):
    list_display = ("__str__", "seat", "generation", "negative", "updated_at")
    list_select_related = ("aspect", "seat", "generation", "negative")
    raw_id_fields = ("seat", "item", "imported", "generation", "negative", "aspect")


@admin.register(Verdict)
class VerdictAdmin(SuperuserOnly):
    list_display = ("seat", "valid", "reason", "judged_at")
    list_select_related = ("seat",)
    raw_id_fields = ("seat", "policy")


@admin.register(Aspect, AttributeLabel, Import, Policy, System, Worker)
class PartAdmin(SuperuserOnly):
    list_display = ("__str__", "study")
    list_select_related = ("study",)
    raw_id_fields = ("study",)


@admin.register(Survey, Place)
class PageAdmin(SuperuserOnly):
    list_display = ("__str__", "study")
    list_select_related = ("study",)
