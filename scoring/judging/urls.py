from django.urls import path

from scoring.judging import views

urlpatterns = [
    path("", views.judge_list, name="judges"),
    path("pairs/", views.pairs_agree, name="judge_pairs"),
    path("<int:trial>/", views.trial_page, name="judge_trial"),
    path("<int:trial>/progress/", views.trial_progress, name="judge_progress"),
    path("<int:trial>/cancel/", views.trial_cancel, name="judge_cancel"),
    path("<int:trial>/retry/", views.trial_retry, name="judge_retry"),
    path("<int:trial>/raise/", views.trial_raise, name="judge_raise"),
    path("<int:trial>/steps/", views.trial_steps, name="judge_steps"),
    path(
        "<int:trial>/<slug:table>.<slug:format>", views.trial_table, name="judge_table"
    ),
]
