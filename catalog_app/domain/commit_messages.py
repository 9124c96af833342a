"""What a person says of a commit."""

from __future__ import annotations

import unicodedata

from lakeui.common.errors import InvalidValue

LONGEST_MESSAGE = 1000
_ALLOWED = "\n\t"


def message_check(message: str) -> str:
    """The message, trimmed. Raises InvalidValue where it is too long, or holds a control character."""
    message = message.strip()
    if len(message) > LONGEST_MESSAGE:
        raise InvalidValue(
            f"The message of a commit has {len(message):,} characters; at most {LONGEST_MESSAGE:,} are taken.",
            remedy="Write a shorter one.",
            field="message",
        )
    unseen = next((c for c in message if c not in _ALLOWED and unicodedata.category(c) in ("Cc", "Cs")), "")
    if unseen:
        raise InvalidValue(
            f"The message of a commit holds U+{ord(unseen):04X}, a control character.",
            remedy="Leave it out.",
            field="message",
        )
    return message
