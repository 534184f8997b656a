from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.contrib.mailing import listing, sending
from evalapp.limits import forms as storable_forms

LARGEST = 200_000  # bytes of a list
SUBJECT = "Please rate texts: {study}"
BODY = """Hello {name},

We would like to ask you to read and rate some texts. This link is for you alone:

{link}

Thank you!"""


class ListForm(storable_forms.Form):
    """Pasted lines, or a file with them."""

    lines = forms.CharField(
        label="People",
        required=False,
        max_length=LARGEST,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="One per line: an email address, or name, address. Up to"
        f" {listing.MOST_AT_ONCE} at once.",
    )
    file = forms.FileField(
        label="Or a CSV file",
        required=False,
        widget=forms.FileInput(attrs={"accept": ".csv,.txt"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean()
        if self.errors:
            return cleaned
        text, file = cleaned["lines"], cleaned["file"]
        if file is not None:
            if file.size > LARGEST:
                raise ValidationError("This file is larger than a list of 500 people.")
            read = file.read().decode("utf-8-sig", errors="replace")
            text = "\n".join(filter(None, [text.strip(), read]))
        try:
            cleaned["people"] = listing.read(text)
        except listing.ListError as error:
            raise ValidationError(str(error)) from error
        return cleaned


class MailForm(storable_forms.Form):
    whom = forms.ChoiceField(
        label="To",
        choices=[
            (sending.NEW, "Everyone who has not been emailed yet"),
            (sending.NOT_STARTED, "A reminder to those who have not started"),
            (sending.NOT_FINISHED, "A reminder to those who have not finished"),
        ],
    )
    subject = forms.CharField(max_length=150, initial=SUBJECT)
    body = forms.CharField(
        label="Text",
        max_length=10_000,
        initial=BODY,
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text="{name} stands for the person’s name, {link} for their own link,"
        " {study} for the title that workers read. A line with a link to get no more"
        " emails is added.",
    )

    def clean_body(self) -> str:
        body: str = self.cleaned_data["body"]
        if "{link}" not in body:
            raise ValidationError("Put {link} where each person's link should go.")
        return body
