"""Django application: pipelines."""

from django.apps import AppConfig


class PipelinesConfig(AppConfig):
    name = "merge_app.pipelines"
    label = "pipelines"
    verbose_name = "Pipelines"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have the housekeeping of every worker look for runs that are due, and retries make their runs."""
        from merge_app.jobs.reaper import sweeps
        from merge_app.jobs.retrying import prepares_retry
        from merge_app.pipelines.runs import TASK_KIND, run_retry
        from merge_app.pipelines.schedules import schedules_tick

        sweeps(schedules_tick)
        prepares_retry(TASK_KIND, run_retry)
