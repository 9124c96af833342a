"""What keeps a mail from being sent."""


class Unsent(Exception):
    """An attempt failed, and a later one may succeed. The message says how."""


class Refused(Exception):
    """The mail is not sent, now or later. The message says why."""
