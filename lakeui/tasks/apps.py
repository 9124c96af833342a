"""Django application: what workers run."""

from django.apps import AppConfig


class TasksConfig(AppConfig):
    name = "lakeui.tasks"
    label = "tasks"
    verbose_name = "Tasks of workers"

    def ready(self) -> None:
        """Bind shared Celery tasks to lakeui's application, register the handlers of tasks, and have the housekeeping
        of every worker look after merge requests and, at night, after old rows.
        """
        import lakeui.celery
        import lakeui.tasks.imports
        import lakeui.tasks.merge_requests
        import lakeui.tasks.pipelines
        import lakeui.tasks.samples
        import lakeui.tasks.scripts
        import lakeui.tasks.statements
        import lakeui.tasks.suggestions
        from catalog_app.services.results import results_tidy
        from catalog_app.services.sessions import sql_sessions_tidy
        from lakeui.access.tidying import invitations_tidy, sessions_tidy, tokens_tidy
        from lakeui.frontdoor.tables.maintenance import dropped_catalogs_expire
        from merge_app.audit.checkpoints import checkpoints_make
        from merge_app.jobs.reaper import sweeps
        from merge_app.jobs.tidying import tidies, tidy_tick
        from merge_app.mails.outbox import mails_notify
        from merge_app.pipelines.landing import archives_sweep
        from merge_app.queries.history import statements_tidy
        from merge_app.review.branch_events import requests_follow
        from merge_app.review.expiring import branches_announce, branches_expire

        notify = lakeui.tasks.merge_requests
        for sweep in (requests_follow, notify.queues_notify, notify.policies_notify, checkpoints_make, mails_notify):
            sweeps(sweep)
        for sweep in (branches_expire, branches_announce, tidy_tick):
            sweeps(sweep)
        tidies("sessions", sessions_tidy)
        tidies("files of dropped catalogs", dropped_catalogs_expire)
        tidies("SQL sessions", sql_sessions_tidy)
        tidies("kept results", results_tidy)
        tidies("statements", statements_tidy)
        tidies("tokens", tokens_tidy)
        tidies("invitations", invitations_tidy)
        tidies("files of landing zones", archives_sweep)
