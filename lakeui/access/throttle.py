"""Slows down guessing of passwords: failures are counted for an address, and for an address with a user name."""

from __future__ import annotations

import hashlib

from django.core.cache import cache
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

WINDOW_SECONDS = 15 * 60
MOST_FAILURES_OF_NAME = 10
MOST_FAILURES_OF_ADDRESS = 50


def client_address(request: HttpRequest) -> str:
    """Where the request comes from: behind a proxy, as that one says; what the client itself says is not believed."""
    return str(BaseThrottle().get_ident(Request(request)) or "")


def sign_in_allowed(*, address: str, username: str) -> bool:
    """Whether another attempt may be made now."""
    counts = cache.get_many([_name_key(address, username), _address_key(address)])
    return bool(
        counts.get(_name_key(address, username), 0) < MOST_FAILURES_OF_NAME
        and counts.get(_address_key(address), 0) < MOST_FAILURES_OF_ADDRESS
    )


def sign_in_failed(*, address: str, username: str) -> None:
    """Count a failure; the count is forgotten a quarter of an hour after the first."""
    for key in (_name_key(address, username), _address_key(address)):
        if not cache.add(key, 1, WINDOW_SECONDS):
            _increment(key)


def sign_in_succeeded(*, address: str, username: str) -> None:
    cache.delete(_name_key(address, username))


def _increment(key: str) -> None:
    try:
        cache.incr(key)
    except ValueError:
        # Expired between the two calls: this failure is the first of a new window.
        cache.set(key, 1, WINDOW_SECONDS)


def _name_key(address: str, username: str) -> str:
    # Hashed, since a cache key may hold neither spaces nor just any length.
    return f"sign-in:{address}:{hashlib.sha256(username.lower().encode()).hexdigest()}"


def _address_key(address: str) -> str:
    return f"sign-in:{address}"
