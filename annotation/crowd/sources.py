"""Where a worker asks from: an address that cannot be read back, for newcomers."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from annotation.crowd import invites
from annotation.models import Study
from evalapp.limits import throttling


def of(request: HttpRequest, study: Study, external_id: str) -> str:
    """A keyed hash of the address, different in each study; "" for invited workers.

    An invite is one person's. Every other id is a claim: who makes one up can make up
    hundreds.
    """
    if invites.is_invited(external_id):
        return ""
    network = throttling.network_of(throttling.address_of(request))
    return salted_hmac("source", f"{study.public_id}:{network}").hexdigest()[:32]
