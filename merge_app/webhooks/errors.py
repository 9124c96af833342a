"""What keeps a message from arriving."""

from __future__ import annotations

from lakeui.common.errors import InvalidValue


class AddressRefused(InvalidValue):
    """A webhook leads where lakeui does not send. Whoever runs lakeui may allow networks of their own."""


class Undelivered(Exception):
    """An attempt failed; the message says how, in words that tell nothing of the network behind."""
