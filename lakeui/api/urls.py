"""Addresses under /api/, and the one that monitors ask."""

from django.urls import URLPattern, URLResolver, include, path, register_converter

from lakeui.api import (
    catalog_views,
    compare_views,
    database_views,
    docs,
    errors,
    history_views,
    import_views,
    keyed_merge_view,
    lake_views,
    markdown_view,
    member_views,
    metrics_view,
    pipeline_views,
    protection_views,
    review_check_views,
    review_merge_views,
    review_resolve_views,
    review_talk_views,
    review_views,
    script_view,
    search_view,
    setting_views,
    sql_view,
    table_views,
    tag_views,
    task_views,
    token_views,
    webhook_views,
)
from lakeui.api.addresses import BranchConverter

register_converter(BranchConverter, "branch")

table_patterns = [
    path("", table_views.TableView.as_view(), name="api-table"),
    path("history/", table_views.TableHistoryView.as_view(), name="api-table-history"),
    path("versions/", table_views.TableVersionsView.as_view(), name="api-table-versions"),
    path("segments/", table_views.SegmentListView.as_view(), name="api-table-segments"),
    path("schemas/", table_views.SchemaListView.as_view(), name="api-table-schemas"),
    path("partitions/", table_views.PartitionListView.as_view(), name="api-table-partitions"),
    path("rows/", table_views.RowsView.as_view(), name="api-table-rows"),
    path("rows/merge/", keyed_merge_view.KeyedMergeView.as_view(), name="api-table-rows-merge"),
    path("changes/", table_views.ChangesView.as_view(), name="api-table-changes"),
]
database_patterns: list[URLPattern | URLResolver] = [
    path("", database_views.DatabaseListView.as_view(), name="api-databases"),
    path("<str:database>/", database_views.DatabaseView.as_view(), name="api-database"),
    path("<str:database>/tables/", database_views.TableListView.as_view(), name="api-tables"),
    path("<str:database>/tables/<str:table>/", include(table_patterns)),
]
merge_request_patterns = [
    path("", review_views.RequestView.as_view(), name="api-merge-request"),
    path("timeline/", review_views.TimelineView.as_view(), name="api-merge-request-timeline"),
    path("checks/", review_check_views.RequestCheckView.as_view(), name="api-merge-request-checks"),
    path("merge/", review_merge_views.RequestMergeView.as_view(), name="api-merge-request-merge"),
    path("queue/", review_merge_views.RequestQueueView.as_view(), name="api-merge-request-queue"),
    path("resolutions/", review_resolve_views.ResolutionListView.as_view(), name="api-resolutions"),
    path("resolutions/batch/", review_resolve_views.ResolutionBatchView.as_view(), name="api-resolution-batch"),
    path("resolutions/<int:resolution_id>/", review_resolve_views.ResolutionView.as_view(), name="api-resolution"),
    path("reviews/", review_talk_views.ReviewListView.as_view(), name="api-reviews"),
    path("reviews/<int:review_id>/changes/", review_talk_views.ReviewChangesView.as_view(), name="api-review-changes"),
    path("comments/", review_talk_views.CommentListView.as_view(), name="api-comments"),
    path("comments/<int:comment_id>/", review_talk_views.CommentView.as_view(), name="api-comment"),
    path(
        "comments/<int:comment_id>/resolved/",
        review_talk_views.CommentResolvedView.as_view(),
        name="api-comment-resolved",
    ),
]
# The longest address first: a branch's name may hold slashes.
catalog_patterns: list[URLPattern | URLResolver] = [
    path("branches/<branch:branch>/databases/", include(database_patterns)),
    path("branches/<branch:branch>/imports/", import_views.ImportListView.as_view(), name="api-imports"),
    path("branches/<branch:branch>/imports/<uuid:import_id>/", import_views.ImportView.as_view(), name="api-import"),
    path(
        "branches/<branch:branch>/imports/<uuid:import_id>/load/",
        import_views.ImportLoadView.as_view(),
        name="api-import-load",
    ),
    path(
        "compare/<branch:source>...<branch:destination>/objects/<str:kind>/<int:object_id>/",
        compare_views.CompareObjectView.as_view(),
        name="api-compare-object",
    ),
    path(
        "compare/<branch:source>...<branch:destination>/objects/<str:kind>/<int:object_id>/decisions/",
        compare_views.CompareDecisionsView.as_view(),
        name="api-compare-decisions",
    ),
    path(
        "compare/<branch:source>...<branch:destination>/objects/table/<int:table_id>/rows/",
        compare_views.CompareRowsView.as_view(),
        name="api-compare-rows",
    ),
    path(
        "compare/<branch:source>...<branch:destination>/objects/table/<int:table_id>/rows/sides/",
        compare_views.CompareSidesView.as_view(),
        name="api-compare-sides",
    ),
    path("compare/<branch:source>...<branch:destination>/", compare_views.CompareView.as_view(), name="api-compare"),
    path("branches/", catalog_views.BranchListView.as_view(), name="api-branches"),
    path("branches/<branch:branch>/history/", history_views.BranchHistoryView.as_view(), name="api-branch-history"),
    path(
        "branches/<branch:branch>/protection/",
        protection_views.BranchProtectionView.as_view(),
        name="api-branch-protection",
    ),
    path("branches/<branch:branch>/", catalog_views.BranchView.as_view(), name="api-branch"),
    path("pipeline-policy/", pipeline_views.PipelinePolicyView.as_view(), name="api-pipeline-policy"),
    path("checks/", review_check_views.CheckListView.as_view(), name="api-checks"),
    path("checks/<str:name>/", review_check_views.CheckView.as_view(), name="api-check"),
    path("merge-requests/", review_views.RequestListView.as_view(), name="api-merge-requests"),
    path("merge-requests/<int:number>/", include(merge_request_patterns)),
    path("members/", member_views.MemberListView.as_view(), name="api-members"),
    path("members/<str:username>/", member_views.MemberView.as_view(), name="api-member"),
    path("candidates/", member_views.CandidateListView.as_view(), name="api-candidates"),
    path("settings/", setting_views.CatalogSettingsView.as_view(), name="api-catalog-settings"),
    path("protection-rules/", protection_views.ProtectionRuleListView.as_view(), name="api-protection-rules"),
    path("protection-rules/<int:rule_id>/", protection_views.ProtectionRuleView.as_view(), name="api-protection-rule"),
    path("webhooks/", webhook_views.WebhookListView.as_view(), name="api-webhooks"),
    path("webhooks/<int:webhook_id>/", webhook_views.WebhookView.as_view(), name="api-webhook"),
    path("webhooks/<int:webhook_id>/test/", webhook_views.WebhookTestView.as_view(), name="api-webhook-test"),
    path(
        "webhooks/<int:webhook_id>/deliveries/", webhook_views.DeliveryListView.as_view(), name="api-webhook-deliveries"
    ),
    path(
        "webhooks/<int:webhook_id>/deliveries/<uuid:delivery_id>/repeat/",
        webhook_views.DeliveryRepeatView.as_view(),
        name="api-webhook-repeat",
    ),
    path("tags/", tag_views.TagListView.as_view(), name="api-tags"),
    path("tags/<branch:tag>/", tag_views.TagView.as_view(), name="api-tag"),
    path("graph/", history_views.GraphView.as_view(), name="api-graph"),
    path("", catalog_views.CatalogView.as_view(), name="api-catalog"),
]

pipeline_patterns: list[URLPattern | URLResolver] = [
    path("", pipeline_views.PipelineView.as_view(), name="api-pipeline"),
    path("dry-run/", pipeline_views.PipelineRehearsalView.as_view(), name="api-pipeline-dry-run"),
    path("runs/", pipeline_views.PipelineRunListView.as_view(), name="api-pipeline-runs"),
    path("runs/<uuid:run_id>/", pipeline_views.PipelineRunView.as_view(), name="api-pipeline-run"),
    path("versions/", pipeline_views.PipelineVersionListView.as_view(), name="api-pipeline-versions"),
    path("versions/<int:version>/", pipeline_views.PipelineVersionView.as_view(), name="api-pipeline-version"),
]

urlpatterns = [
    path("api/docs/", docs.docs_page, name="api-docs"),
    path("api/v1/schema/", docs.SchemaView.as_view(), name="api-schema"),
    path("api/v1/sql/", sql_view.SqlView.as_view(), name="api-sql"),
    path("api/v1/sql/script/", script_view.ScriptView.as_view(), name="api-sql-script"),
    path("api/v1/tasks/", task_views.TaskListView.as_view(), name="api-tasks"),
    path("api/v1/tasks/<uuid:task_id>/", task_views.TaskView.as_view(), name="api-task"),
    path("api/v1/tasks/<uuid:task_id>/cancel/", task_views.TaskCancelView.as_view(), name="api-task-cancel"),
    path("api/v1/tasks/<uuid:task_id>/retry/", task_views.TaskRetryView.as_view(), name="api-task-retry"),
    path("api/v1/merges/", lake_views.MergeListView.as_view(), name="api-merges"),
    path("api/v1/merges/<str:merge_id>/", lake_views.MergeView.as_view(), name="api-merge"),
    path("api/v1/search/", search_view.SearchView.as_view(), name="api-search"),
    path("api/v1/inbox/", review_views.InboxView.as_view(), name="api-inbox"),
    path("api/v1/markdown/", markdown_view.MarkdownView.as_view(), name="api-markdown"),
    path("api/v1/rules/", lake_views.RulesView.as_view(), name="api-rules"),
    path("api/v1/pipelines/", pipeline_views.PipelineListView.as_view(), name="api-pipelines"),
    path("api/v1/pipelines/fields/", pipeline_views.PipelineFieldsView.as_view(), name="api-pipeline-fields"),
    path("api/v1/pipelines/schedule/", pipeline_views.PipelineScheduleView.as_view(), name="api-pipeline-schedule"),
    path("api/v1/pipelines/validate/", pipeline_views.PipelineValidationView.as_view(), name="api-pipeline-validate"),
    path("api/v1/pipelines/<int:pipeline_id>/", include(pipeline_patterns)),
    path("api/v1/tokens/", token_views.TokenListView.as_view(), name="api-tokens"),
    path("api/v1/tokens/<int:token_id>/", token_views.TokenView.as_view(), name="api-token"),
    path("metrics", metrics_view.MetricsView.as_view(), name="metrics"),
    path("api/v1/catalogs/", catalog_views.CatalogListView.as_view(), name="api-catalogs"),
    path("api/v1/catalogs/<str:catalog>/", include(catalog_patterns)),
    path("api/<path:rest>", errors.unknown_endpoint),
]
