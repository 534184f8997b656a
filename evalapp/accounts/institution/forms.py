from __future__ import annotations

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from evalapp.limits.forms import Form
from evalapp.limits.login import count_guess, forget_guesses


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
        password, user = self.cleaned_data["link_password"], self.request.user
        count_guess(self.request, user.get_username())
        if not user.check_password(password):
            raise ValidationError("The password is wrong. Enter it again.")
        forget_guesses(self.request, user.get_username())
        return password
