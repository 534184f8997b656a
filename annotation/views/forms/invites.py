from __future__ import annotations

from django import forms

from evalapp.limits import forms as storable_forms


class InviteForm(storable_forms.Form):
    names = forms.CharField(
        label="People to invite",
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="One name per line. Only you see the names; exports leave them out.",
    )
