"""What Celery calls."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from merge_app.mails.delivering import mail_attempt


@shared_task(name="lakeui.deliver_mail", ignore_result=True)
def deliver_mail(mail_id: str) -> None:
    """Send that mail unless it is sent or another worker is at it."""
    mail_attempt(UUID(mail_id))
