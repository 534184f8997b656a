from django.urls import path

from scoring.judging.views import stability, trials

SET = "anchors/<int:anchors>/"

urlpatterns = [
    path("", trials.judge_list, name="judges"),
    path("pairs/", trials.pairs_agree, name="judge_pairs"),
    path("<int:trial>/", trials.trial_page, name="judge_trial"),
    path("<int:trial>/progress/", trials.trial_progress, name="judge_progress"),
    path("<int:trial>/cancel/", trials.trial_cancel, name="judge_cancel"),
    path("<int:trial>/retry/", trials.trial_retry, name="judge_retry"),
    path("<int:trial>/raise/", trials.trial_raise, name="judge_raise"),
    path("<int:trial>/steps/", trials.trial_steps, name="judge_steps"),
    path(
        "<int:trial>/<slug:table>.<slug:format>", trials.trial_table, name="judge_table"
    ),
    path("stress/", stability.stress_page, name="judge_stress"),
    path("stress/agree/", stability.stress_agree, name="judge_stress_agree"),
    path("anchors/", stability.anchors_page, name="judge_anchors"),
    path("anchors/agree/", stability.anchors_agree, name="judge_anchors_agree"),
    path(f"{SET}ask/", stability.anchors_ask, name="judge_anchors_ask"),
    path(f"{SET}end/", stability.anchors_end, name="judge_anchors_end"),
]
