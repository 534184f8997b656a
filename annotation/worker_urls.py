from django.urls import include, path

from annotation import mturk_views, seat_views, withdraw_views, worker_views

app_name = "worker"

urlpatterns = [
    path("<uuid:study_id>/", worker_views.welcome, name="welcome"),
    path("<uuid:study_id>/mturk/", mturk_views.arrive, name="mturk"),
    path("<uuid:study_id>/start/", worker_views.start, name="start"),
    path("<uuid:study_id>/practice/", include("annotation.practice_urls")),
    path("<uuid:study_id>/leave/", worker_views.leave, name="leave"),
    path("<uuid:study_id>/done/", worker_views.done, name="done"),
    path("<uuid:study_id>/withdraw/", withdraw_views.withdraw, name="withdraw"),
    path("seat/<uuid:seat_id>/", seat_views.seat, name="seat"),
    path("seat/<uuid:seat_id>/answer/", seat_views.answer, name="answer"),
    path("seat/<uuid:seat_id>/report/", seat_views.report, name="report"),
    path("seat/<uuid:seat_id>/keep/", seat_views.keep, name="keep"),
    path("seat/<uuid:seat_id>/submit/", seat_views.submit, name="submit"),
]
