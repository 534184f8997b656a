from django.urls import include, path

STUDY = "studies/<slug:name>/"

urlpatterns = [
    path("", include("annotation.views.urls")),
    path(STUDY, include("annotation.setup.urls")),
    path(STUDY, include("annotation.votes.urls")),
    path(STUDY, include("annotation.kinds.pairs.urls")),
    path(STUDY, include("annotation.watching.urls")),
    path(STUDY, include("annotation.quality.urls")),
    path(STUDY, include("annotation.simulation.urls")),
]
