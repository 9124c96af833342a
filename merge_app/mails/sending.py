"""One mail to the mail server that the settings name."""

from __future__ import annotations

import smtplib
import ssl
from email.utils import format_datetime, parseaddr

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage, get_connection
from django.core.validators import validate_email

from merge_app.mails.errors import Refused, Unsent
from merge_app.mails.models import Mail

LONGEST_ANSWER = 200
_FOR_GOOD = range(500, 600)
"""Answers by which a server refuses this mail now and later (RFC 5321, 4.2.1)."""


def mail_send(mail: Mail, address: str) -> None:
    """Hand the mail to the server. An attempt after a lost answer has the same Message-ID. Raises Unsent, Refused."""
    try:
        validate_email(address)
    except ValidationError:
        raise Refused("The address is no address of mail.") from None
    connection = get_connection()
    message = EmailMessage(mail.subject, _text(mail), to=[address], headers=_headers(mail), connection=connection)
    try:
        message.send()
    except smtplib.SMTPRecipientsRefused as refusal:
        ((status, said),) = refusal.recipients.values()
        raise _answered("refused the address", status, said) from None
    except smtplib.SMTPAuthenticationError:
        raise Unsent("The mail server refused the user and password of lakeui.") from None
    except smtplib.SMTPNotSupportedError:
        raise Unsent("The mail server does not offer what the settings ask for: STARTTLS or sign-in.") from None
    except (smtplib.SMTPSenderRefused, smtplib.SMTPDataError) as refusal:
        raise _answered("refused the mail", refusal.smtp_code, refusal.smtp_error) from None
    except ssl.SSLError:
        raise Unsent("The mail server's certificate is not trusted, or it does not speak TLS.") from None
    except TimeoutError:
        raise Unsent("The mail server did not answer in time.") from None
    except OSError:
        # smtplib's errors are OSErrors too.
        raise Unsent("The connection to the mail server failed.") from None
    finally:
        # Django leaves one open that failed while it was opened.
        connection.close()


def _answered(what: str, status: int, said: bytes | str) -> Exception:
    text = said.decode(errors="replace") if isinstance(said, bytes) else said
    shown = " ".join(text.split())[:LONGEST_ANSWER]
    sentence = f"The mail server {what}: {status} {shown}"
    return Refused(sentence) if status in _FOR_GOOD else Unsent(sentence)


def _headers(mail: Mail) -> dict[str, str]:
    _, sender = parseaddr(settings.DEFAULT_FROM_EMAIL)
    return {
        "Message-ID": f"<{mail.pk}@{sender.rpartition('@')[2] or 'localhost'}>",
        "Date": format_datetime(mail.created_at),
        # So that no mailbox answers that its owner is away (RFC 3834).
        "Auto-Submitted": "auto-generated",
    }


def _text(mail: Mail) -> str:
    base = settings.LAKEUI["PUBLIC_URL"]
    return (
        f"{mail.body}\n\n{base}{mail.path}\n\n-- \n"
        f"You chose to get this mail. Choose otherwise at {base}/settings under Mail and chat.\n"
    )
