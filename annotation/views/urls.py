"""The researcher's pages: studies, their texts, surveys, settings, invites, exports."""

from django.urls import include, path

from annotation.views import (
    adding,
    exports,
    invites,
    managing,
    members,
    recipes,
    setup,
    studies,
    surveys,
    texts,
    uploads,
)

of_a_study = [
    path("", studies.study, name="study"),
    path("progress/", studies.study_progress, name="study_progress"),
    path("settings/", studies.study_settings, name="study_settings"),
    path("settings/preview/", setup.settings_preview, name="settings_preview"),
    path("preview/", setup.worker_preview, name="worker_preview"),
    path("practice/", setup.study_practice, name="study_practice"),
    path("practice/remove/", setup.practice_remove, name="practice_remove"),
    path("practice/preview/", setup.practice_preview, name="practice_preview"),
    path("invites/", invites.study_invites, name="study_invites"),
    path("invites/make/", invites.invites_make, name="invites_make"),
    path("invites/download/", invites.invites_download, name="invites_download"),
    path("invites/<int:pk>/renew/", invites.invite_renew, name="invite_renew"),
    path("invites/<int:pk>/revoke/", invites.invite_revoke, name="invite_revoke"),
    path("opening/", studies.study_opening, name="study_opening"),
    path(
        "opening/cancel/",
        studies.study_opening_cancel,
        name="study_opening_cancel",
    ),
    path("pause/", studies.study_pause, name="study_pause"),
    path("close/", studies.study_close, name="study_close"),
    path("members/", members.study_members, name="study_members"),
    path("members/add/", members.member_add, name="member_add"),
    path("members/leave/", members.member_leave, name="member_leave"),
    path("members/<int:member>/role/", members.member_role, name="member_role"),
    path("members/<int:member>/remove/", members.member_remove, name="member_remove"),
    path("manage/", managing.study_manage, name="study_manage"),
    path("manage/copy/", managing.study_copy, name="study_copy"),
    path("manage/archive/", managing.study_archive, name="study_archive"),
    path("manage/unarchive/", managing.study_unarchive, name="study_unarchive"),
    path("manage/delete/", managing.study_delete, name="study_delete"),
    path("texts/", texts.study_texts, name="study_texts"),
    path("import/", adding.study_import, name="study_import"),
    path("import/<int:pk>/undo/", adding.import_undo, name="import_undo"),
    path("votes/", adding.to_import),
    path("surveys/", surveys.study_surveys, name="study_surveys"),
    path("surveys/<int:number>/", surveys.study_survey, name="study_survey"),
    path("export/", exports.study_export, name="study_export"),
    path(
        "export/<slug:kind>.<slug:format>",
        exports.study_download,
        name="study_download",
    ),
]

of_an_upload = [
    path("", adding.upload, name="upload"),
    path("kind/", adding.upload_kind, name="upload_kind"),
    path("recipe/save/", recipes.upload_save_recipe, name="upload_save_recipe"),
    path("recipe/use/", recipes.upload_use_recipe, name="upload_use_recipe"),
    path("state/", uploads.upload_state, name="upload_state"),
    path("cancel/", uploads.upload_cancel, name="upload_cancel"),
    path("discard/", uploads.upload_discard, name="upload_discard"),
]

urlpatterns = [
    path("", studies.studies, name="studies"),
    path("deleted/", managing.deleted_studies, name="deleted_studies"),
    path("deleted/<int:pk>/restore/", managing.deleted_restore, name="deleted_restore"),
    path("recipes/", recipes.saved_recipes, name="recipes"),
    path("recipes/<int:pk>/delete/", recipes.recipe_delete, name="recipe_delete"),
    path("studies/new/", texts.study_new, name="study_new"),
    path("uploads/<uuid:public_id>/", include(of_an_upload)),
    path("studies/<slug:name>/", include(of_a_study)),
]
