"""What a study has below the tabs Setup, Texts, Workers and Export."""

from __future__ import annotations

from annotation.models import Study
from annotation.watching import reports
from evalapp.navigation import Page, below


@below("setup")
def setup(study: Study) -> list[Page]:
    draft = study.state == Study.State.DRAFT
    return [
        Page("Checklist", "study_setup"),
        Page("Kinds of pages", "study_kinds"),
        Page("Questions and pay", "study_settings", also=("settings_preview",)),
        Page("Practice", "study_practice"),
        Page(
            "Quality control",
            "study_quality",
            also=("quality_save", "quality_rejudge"),
        ),
        Page("Analysis plan", "plan"),
        *(
            [Page("Invites", "study_invites", also=("invites_make",))]
            if study.sees_people
            else []
        ),
        Page("Simulate", "study_simulate"),
        Page("Preview", "worker_preview"),
        Page("Members", "study_members", also=("member_add",)),
        Page("Manage", "study_manage", also=("study_copy", "study_delete")),
        *([Page("Open", "study_open")] if draft else []),
    ]


@below("texts")
def texts(study: Study) -> list[Page]:
    return [
        Page("Texts", "study_texts", also=("study_text",)),
        Page("Review", "study_review"),
        Page("Surveys", "study_surveys", also=("study_survey",)),
        Page("Add data", "study_import"),
    ]


@below("workers")
def workers(study: Study) -> list[Page]:
    """One query."""
    return [
        Page("Workers", "study_workers", also=("study_worker", "seat_ratings")),
        Page("Monitor", "study_monitor"),
        Page("Reports", "study_reports", count=reports.n_open(study=study)),
        *([Page("Payments", "study_payments")] if study.sees_people else []),
        Page("Log", "study_log"),
    ]


@below("export")
def export(study: Study) -> list[Page]:
    return [
        Page("Tables", "study_export"),
        Page("Data set", "data_set"),
    ]
