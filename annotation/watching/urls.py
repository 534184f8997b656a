"""Below a study's address: who rates, what they reported, what was done about it."""

from django.urls import path

from annotation.watching.views import log, monitor, payments, reports, workers

urlpatterns = [
    path("workers/", workers.study_workers, name="study_workers"),
    path("workers/<uuid:worker_id>/", workers.study_worker, name="study_worker"),
    path(
        "workers/<uuid:worker_id>/exclude/",
        workers.worker_exclude,
        name="worker_exclude",
    ),
    path(
        "workers/<uuid:worker_id>/include/",
        workers.worker_include,
        name="worker_include",
    ),
    path(
        "workers/<uuid:worker_id>/unblock/",
        workers.worker_unblock,
        name="worker_unblock",
    ),
    path("seats/<uuid:seat_id>/free/", workers.seat_free, name="seat_free"),
    path("monitor/", monitor.study_monitor, name="study_monitor"),
    path("monitor/now/", monitor.study_monitor_now, name="study_monitor_now"),
    path("payments/", payments.study_payments, name="study_payments"),
    path("payments/<slug:which>.csv", payments.payment_list, name="payment_list"),
    path("log/", log.study_log, name="study_log"),
    path("reports/", reports.study_reports, name="study_reports"),
    path("reports/<int:pk>/keep/", reports.report_keep, name="report_keep"),
    path("reports/<int:pk>/exclude/", reports.report_exclude, name="report_exclude"),
]
