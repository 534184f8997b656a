"""Below a study's address: who rates, what they reported, what was done about it."""

from django.urls import path

from annotation.watching.views import (
    log,
    monitor,
    payments,
    ratings,
    reports,
    texts,
    workers,
)

urlpatterns = [
    path("workers/", workers.study_workers, name="study_workers"),
    path("workers/<slug:worker>/", workers.study_worker, name="study_worker"),
    path(
        "workers/<slug:worker>/exclude/",
        workers.worker_exclude,
        name="worker_exclude",
    ),
    path(
        "workers/<slug:worker>/include/",
        workers.worker_include,
        name="worker_include",
    ),
    path(
        "workers/<slug:worker>/unblock/",
        workers.worker_unblock,
        name="worker_unblock",
    ),
    path("text/", texts.study_text, name="study_text"),
    path("text/exclude/", texts.text_exclude, name="text_exclude"),
    path("text/include/", texts.text_include, name="text_include"),
    path("review/", texts.study_review, name="study_review"),
    path("review/read/", texts.review_read, name="review_read"),
    path("ratings/<uuid:seat_id>/", ratings.seat_ratings, name="seat_ratings"),
    path("seats/<uuid:seat_id>/free/", workers.seat_free, name="seat_free"),
    path("monitor/", monitor.study_monitor, name="study_monitor"),
    path("monitor/now/", monitor.study_monitor_now, name="study_monitor_now"),
    path("monitor/dismiss/", monitor.attention_dismiss, name="attention_dismiss"),
    path(
        "monitor/bring-back/",
        monitor.attention_bring_back,
        name="attention_bring_back",
    ),
    path("payments/", payments.study_payments, name="study_payments"),
    path("payments/<slug:which>.csv", payments.payment_list, name="payment_list"),
    path("log/", log.study_log, name="study_log"),
    path("reports/", reports.study_reports, name="study_reports"),
    path("reports/<int:pk>/keep/", reports.report_keep, name="report_keep"),
    path("reports/<int:pk>/exclude/", reports.report_exclude, name="report_exclude"),
]
