"""Django application: tasks."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "merge_app.jobs"
    label = "jobs"
    verbose_name = "Tasks"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register what Celery has workers do."""
        import merge_app.jobs.tasks  # noqa: F401 - Celery finds them once they are loaded
