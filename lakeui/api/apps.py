"""Django application: the HTTP interface."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "lakeui.api"
    label = "api"
    verbose_name = "HTTP interface"

    def ready(self) -> None:
        """Bind shared Celery tasks to lakeui's application, register the handlers of tasks and the schemes, and have
        the housekeeping of every worker look after merge requests and, at night, after old rows.
        """
        import lakeui.api.importing
        import lakeui.api.openapi
        import lakeui.api.pipelining
        import lakeui.api.review_tasks
        import lakeui.api.scripts
        import lakeui.api.statements
        import lakeui.celery
        from catalog_app.services.results import results_tidy
        from catalog_app.services.sessions import sql_sessions_tidy
        from lakeui.access.tidying import invitations_tidy, sessions_tidy, tokens_tidy
        from lakeui.common.collector import loading_ends
        from merge_app.audit.checkpoints import checkpoints_make
        from merge_app.jobs.reaper import sweeps
        from merge_app.jobs.tidying import tidies, tidy_tick
        from merge_app.review.following import requests_follow

        sweeps(requests_follow)
        sweeps(lakeui.api.review_tasks.queues_ring)
        sweeps(lakeui.api.review_tasks.policies_ring)
        sweeps(checkpoints_make)
        sweeps(tidy_tick)
        tidies("sessions", sessions_tidy)
        tidies("SQL sessions", sql_sessions_tidy)
        tidies("kept results", results_tidy)
        tidies("tokens", tokens_tidy)
        tidies("invitations", invitations_tidy)
        # The models of the applications after this one are loaded before any application is made ready.
        loading_ends()
