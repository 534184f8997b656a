from django.urls import path

from annotation.crowd.sending import by_script
from annotation.crowd.views import (
    entry,
    leaving,
    practice,
    proving,
    seat,
    withdrawal,
)
from evalapp import doors

app_name = "worker"

urlpatterns = [
    *doors.patterns("worker"),
    path("<uuid:study_id>/", entry.welcome, name="welcome"),
    path("<uuid:study_id>/start/", by_script(entry.start), name="start"),
    path("<uuid:study_id>/practice/", practice.show, name="practice"),
    path(
        "<uuid:study_id>/practice/try/",
        by_script(practice.attempt),
        name="practice_try",
    ),
    path("<uuid:study_id>/prove/", proving.prove, name="prove"),
    path("<uuid:study_id>/leave/", leaving.leave, name="leave"),
    path("<uuid:study_id>/finish/", by_script(leaving.finish), name="finish"),
    path("<uuid:study_id>/done/", leaving.done, name="done"),
    path("<uuid:study_id>/withdraw/", by_script(withdrawal.withdraw), name="withdraw"),
    path("seat/<uuid:seat_id>/", seat.seat, name="seat"),
    path("seat/<uuid:seat_id>/answer/", seat.answer, name="answer"),
    path("seat/<uuid:seat_id>/report/", by_script(seat.report), name="report"),
    path("seat/<uuid:seat_id>/keep/", by_script(seat.keep), name="keep"),
    path("seat/<uuid:seat_id>/submit/", by_script(seat.submit), name="submit"),
]
