"""The link in each email by which its reader gets no more of them."""

from __future__ import annotations

from django.conf import settings
from django.core import signing
from django.urls import reverse

from annotation.models import Recipient

SALT = "mail-refusal"


def refusal_link(recipient: Recipient) -> str:
    signed = signing.dumps(recipient.pk, salt=SALT)
    return f"{settings.PUBLIC_URL}{reverse('mail_refusal', args=[signed])}"


def of_refusal(signed: str) -> Recipient | None:
    """Whose link it is; None for one that is not ours."""
    try:
        pk = signing.loads(signed, salt=SALT)
    except signing.BadSignature:
        return None
    return Recipient.objects.select_related("study").filter(pk=pk).first()
