"""Slows down guessing of passwords: counts failures of an address, of an account, and of an account at an address."""

from __future__ import annotations

import hashlib
import unicodedata

from django.core.cache import cache
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

WINDOW_SECONDS = 15 * 60
MOST_FAILURES_OF_NAME = 10
MOST_FAILURES_OF_ADDRESS = 50
MOST_FAILURES_OF_ACCOUNT = 100
"""From all addresses together; tokens and open browser sessions of the account work on."""


def client_address(request: HttpRequest) -> str:
    """Where the request comes from: behind a proxy, as that one says; what the client itself says is not believed."""
    return str(BaseThrottle().get_ident(Request(request)) or "")


def account_name(username: str) -> str:
    """What the sign-in form makes of a typed name (blanks and NFKC), without case: one account has one count."""
    return unicodedata.normalize("NFKC", username.strip()).casefold()


def sign_in_allowed(*, address: str, username: str) -> bool:
    """Whether another attempt may be made now."""
    limits = _limits(address, username)
    counts = cache.get_many(limits)
    return all(counts.get(key, 0) < most for key, most in limits.items())


def sign_in_failed(*, address: str, username: str) -> None:
    """Count a failure; each count ends a quarter of an hour after its first."""
    for key in _limits(address, username):
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


def _limits(address: str, username: str) -> dict[str, int]:
    """The counts that this attempt adds to, and the most that each may be."""
    return {
        _name_key(address, username): MOST_FAILURES_OF_NAME,
        f"sign-in:{address}": MOST_FAILURES_OF_ADDRESS,
        _name_key("", username): MOST_FAILURES_OF_ACCOUNT,
    }


def _name_key(address: str, username: str) -> str:
    # Hashed, since a cache key may hold neither spaces nor just any length.
    return f"sign-in:{address}:{hashlib.sha256(account_name(username).encode()).hexdigest()}"
