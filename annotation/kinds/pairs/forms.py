from __future__ import annotations

from django import forms

from evalapp.limits import forms as storable_forms

# Their pages are drawn while the researcher waits. More can be added afterwards.
MOST = 2_000


class MorePairsForm(storable_forms.Form):
    """How many more pairs to ask about, and which."""

    UNCERTAIN, EVENLY = "uncertain", "evenly"

    n = forms.IntegerField(label="How many pairs", min_value=1, max_value=MOST)
    by = forms.ChoiceField(
        label="Which",
        choices=[
            (UNCERTAIN, "More of systems that the votes so far tell apart least"),
            (EVENLY, "Any, with the same chance"),
        ],
        help_text="The chance with which each pair is drawn is kept and exported.",
    )
