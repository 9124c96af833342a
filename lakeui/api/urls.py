"""Addresses under /api/, and the two that monitors ask."""

from django.urls import path

from lakeui.api import docs, errors, health, lake_views, sql_view, task_views

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("api/docs/", docs.docs_page, name="api-docs"),
    path("api/v1/schema/", docs.SchemaView.as_view(), name="api-schema"),
    path("api/v1/sql/", sql_view.SqlView.as_view(), name="api-sql"),
    path("api/v1/tasks/", task_views.TaskListView.as_view(), name="api-tasks"),
    path("api/v1/tasks/<uuid:task_id>/", task_views.TaskView.as_view(), name="api-task"),
    path("api/v1/tasks/<uuid:task_id>/cancel/", task_views.TaskCancelView.as_view(), name="api-task-cancel"),
    path("api/v1/merges/", lake_views.MergeListView.as_view(), name="api-merges"),
    path("api/v1/merges/<str:merge_id>/", lake_views.MergeView.as_view(), name="api-merge"),
    path("api/v1/rules/", lake_views.RulesView.as_view(), name="api-rules"),
    path("api/<path:rest>", errors.unknown_endpoint),
]
