"""Django application: who is there, and the pages for signing in."""

from django.apps import AppConfig


class AccessConfig(AppConfig):
    name = "lakeui.access"
    label = "access"
    verbose_name = "Access"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have each sign-in noted in its session."""
        # Its receiver of sign-ins is connected by the import.
        import lakeui.access.sessions  # noqa: F401
