from django.urls import path

from scoring.corpora import views

urlpatterns = [
    path("", views.corpus_list, name="corpora"),
    path("from/system/", views.corpus_from_system, name="corpus_from_system"),
    path("<slug:corpus>/", views.corpus, name="corpus"),
    path("<slug:corpus>/delete/", views.corpus_delete, name="corpus_delete"),
]
