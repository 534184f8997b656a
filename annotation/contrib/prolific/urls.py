"""Below a study's address: the study on Prolific."""

from django.urls import path

from annotation.contrib.prolific import views

urlpatterns = [
    path("recruit/", views.study_recruit, name="study_recruit"),
    path("recruit/draft/", views.recruit_draft, name="recruit_draft"),
    path("recruit/refresh/", views.recruit_refresh, name="recruit_refresh"),
    path("recruit/approve/", views.recruit_approve, name="recruit_approve"),
    path("recruit/reject/<int:pk>/", views.recruit_reject, name="recruit_reject"),
    path("recruit/bonuses/", views.recruit_bonuses, name="recruit_bonuses"),
    path("recruit/bonuses/pay/", views.recruit_pay, name="recruit_pay"),
    path("recruit/bonuses/check/", views.recruit_check, name="recruit_check"),
    path("recruit/bonuses/drop/", views.recruit_drop, name="recruit_drop"),
    path("recruit/move/<slug:action>/", views.recruit_move, name="recruit_move"),
]
