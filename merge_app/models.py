"""Django finds the models of this application here; they live beside the code that uses them."""

from merge_app.audit.models import AuditChain, MergeAttempt
from merge_app.mails.models import Mail, MailChoice
from merge_app.queries.models import KeptStatement, SavedQuery
from merge_app.review.models import (
    AnsweredRequest,
    Check,
    CheckResult,
    Comment,
    ConflictResolution,
    MergeRequest,
    RequestedReviewer,
    RequestStatus,
    Review,
    Suggestion,
    TimelineEntry,
)
from merge_app.webhooks.models import Webhook, WebhookDelivery

__all__ = [
    "AnsweredRequest",
    "AuditChain",
    "Check",
    "CheckResult",
    "Comment",
    "ConflictResolution",
    "KeptStatement",
    "Mail",
    "MailChoice",
    "MergeAttempt",
    "MergeRequest",
    "RequestStatus",
    "RequestedReviewer",
    "Review",
    "SavedQuery",
    "Suggestion",
    "TimelineEntry",
    "Webhook",
    "WebhookDelivery",
]
