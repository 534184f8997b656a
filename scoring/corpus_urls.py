from django.urls import path

from scoring import corpus_views

urlpatterns = [
    path("", corpus_views.corpus_list, name="corpora"),
    path("from/system/", corpus_views.corpus_from_system, name="corpus_from_system"),
    path("<slug:corpus>/", corpus_views.corpus, name="corpus"),
    path("<slug:corpus>/delete/", corpus_views.corpus_delete, name="corpus_delete"),
]
