"""Where a worker asks from: an address that cannot be read back, for newcomers."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import IPv6Address, ip_address, ip_network

from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from annotation.crowd import invites
from annotation.models import Study
from evalapp.limits import throttling

# One home or server has as many IPv6 addresses as it likes, all in a network like this.
HOME = 64  # bits


def of(request: HttpRequest, study: Study, external_id: str) -> str:
    """A keyed hash of the address, different in each study; "" for invited workers.

    An invite is one person's. Every other id is a claim: who makes one up can make up
    hundreds.
    """
    if invites.is_invited(external_id):
        return ""
    network = network_of(throttling.address_of(request))
    return salted_hmac("source", f"{study.public_id}:{network}").hexdigest()[:32]


def network_of(address: str) -> str:
    """The address, or the network of a home if it is one of IPv6."""
    with suppress(ValueError):
        found = ip_address(address)
        if isinstance(found, IPv6Address):
            if found.ipv4_mapped:
                return str(found.ipv4_mapped)
            return str(ip_network((found, HOME), strict=False))
    return address
