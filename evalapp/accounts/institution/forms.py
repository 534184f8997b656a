from __future__ import annotations

from django import forms
from django.http import HttpRequest

from evalapp.limits.forms import Form
from evalapp.limits.login import check_password


class LinkForm(Form):
    """The password once more: whoever finds the computer logged in may not stay in."""

    link_password = forms.CharField(
        label="Password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, request: HttpRequest, *args: object) -> None:
        super().__init__(*args)
        self.request = request

    def clean_link_password(self) -> str:
        password: str = self.cleaned_data["link_password"]
        check_password(self.request, password)
        return password
