from django.urls import path

from scoring.stability import views

SET = "anchors/<int:anchors>/"

urlpatterns = [
    path("stress/", views.stress_page, name="judge_stress"),
    path("stress/agree/", views.stress_agree, name="judge_stress_agree"),
    path("anchors/", views.anchors_page, name="judge_anchors"),
    path("anchors/agree/", views.anchors_agree, name="judge_anchors_agree"),
    path(f"{SET}ask/", views.anchors_ask, name="judge_anchors_ask"),
    path(f"{SET}end/", views.anchors_end, name="judge_anchors_end"),
]
