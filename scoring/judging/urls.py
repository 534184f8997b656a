from django.urls import path

from scoring.judging.views import trials

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
]
