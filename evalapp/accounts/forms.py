from __future__ import annotations

from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest

from evalapp.limits.forms import Form, ModelForm
from evalapp.limits.login import check_password


class ProfileForm(ModelForm):
    """What others read of you. Not the e-mail address: nothing proves whose it is, and
    members are added by it."""

    class Meta:
        model = User
        fields = ("first_name", "last_name")


class TokenForm(Form):
    """What a new token is for, and how long it lasts."""

    name = forms.CharField(
        max_length=100,
        help_text="What uses it, such as “upload script on the lab server”.",
    )
    days = forms.TypedChoiceField(
        label="Ends",
        choices=[
            ("30", "after 30 days"),
            ("90", "after 90 days"),
            ("365", "after a year"),
            ("", "never"),
        ],
        coerce=int,
        empty_value=None,
        required=False,
        initial="90",
    )


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
