"""Below a study's address: the stress lab and anchors of judges."""

from django.urls import path

from scoring.contrib.judge_lab import views

SET = "judges/anchors/<int:anchors>/"

urlpatterns = [
    path("judges/stress/", views.stress_page, name="judge_stress"),
    path("judges/stress/agree/", views.stress_agree, name="judge_stress_agree"),
    path("judges/anchors/", views.anchors_page, name="judge_anchors"),
    path("judges/anchors/agree/", views.anchors_agree, name="judge_anchors_agree"),
    path(f"{SET}ask/", views.anchors_ask, name="judge_anchors_ask"),
    path(f"{SET}end/", views.anchors_end, name="judge_anchors_end"),
]
