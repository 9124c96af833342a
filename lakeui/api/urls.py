"""Addresses under /api/, and the one that monitors ask."""

from django.urls import URLPattern, URLResolver, include, path, register_converter

from lakeui.api.branches import (
    catalog_views,
    dropped_views,
    history_views,
    lake_views,
    merge_views,
    reset_view,
    sample_view,
    setting_views,
    tag_views,
)
from lakeui.api.compare import views as compare_views
from lakeui.api.http import docs, errors, metrics_view
from lakeui.api.http.addresses import BranchConverter
from lakeui.api.people import (
    account_views,
    agent_views,
    group_views,
    mail_views,
    member_views,
    people_views,
    restriction_preview_view,
    restriction_views,
    second_factor_views,
    token_views,
)
from lakeui.api.pipelines import landing_views
from lakeui.api.pipelines import views as pipeline_views
from lakeui.api.requests import check_views as review_check_views
from lakeui.api.requests import markdown_view, protection_views
from lakeui.api.requests import merge_views as review_merge_views
from lakeui.api.requests import resolve_views as review_resolve_views
from lakeui.api.requests import status_views as review_status_views
from lakeui.api.requests import suggestion_views as review_suggestion_views
from lakeui.api.requests import talk_views as review_talk_views
from lakeui.api.requests import views as review_views
from lakeui.api.rows import import_views, keyed_merge_view
from lakeui.api.sql import (
    result_views,
    saved_views,
    script_view,
    session_views,
    sql_view,
    statement_views,
    task_views,
)
from lakeui.api.tables import database_views, search_view, table_views, trash_view, view_views
from lakeui.api.webhooks import views as webhook_views

register_converter(BranchConverter, "branch")

table_patterns = [
    path("", table_views.TableView.as_view(), name="api-table"),
    path("history/", table_views.TableHistoryView.as_view(), name="api-table-history"),
    path("versions/", table_views.TableVersionsView.as_view(), name="api-table-versions"),
    path("segments/", table_views.SegmentListView.as_view(), name="api-table-segments"),
    path("schemas/", table_views.SchemaListView.as_view(), name="api-table-schemas"),
    path("partitions/", table_views.PartitionListView.as_view(), name="api-table-partitions"),
    path("profile/", table_views.TableProfileView.as_view(), name="api-table-profile"),
    path("compaction/", table_views.TableCompactionView.as_view(), name="api-table-compaction"),
    path("lineage/", table_views.TableLineageView.as_view(), name="api-table-lineage"),
    path("rows/", table_views.RowsView.as_view(), name="api-table-rows"),
    path("rows/merge/", keyed_merge_view.KeyedMergeView.as_view(), name="api-table-rows-merge"),
    path("changes/", table_views.ChangesView.as_view(), name="api-table-changes"),
]
database_patterns: list[URLPattern | URLResolver] = [
    path("", database_views.DatabaseListView.as_view(), name="api-databases"),
    path("<str:database>/", database_views.DatabaseView.as_view(), name="api-database"),
    path("<str:database>/views/", view_views.ViewListView.as_view(), name="api-views"),
    path("<str:database>/views/<str:view>/", view_views.ViewView.as_view(), name="api-view"),
    path("<str:database>/tables/", database_views.TableListView.as_view(), name="api-tables"),
    path("<str:database>/tables/<str:table>/", include(table_patterns)),
]
merge_request_patterns = [
    path("", review_views.RequestView.as_view(), name="api-merge-request"),
    path("timeline/", review_views.TimelineView.as_view(), name="api-merge-request-timeline"),
    path("checks/", review_check_views.RequestCheckView.as_view(), name="api-merge-request-checks"),
    path("statuses/", review_status_views.StatusListView.as_view(), name="api-statuses"),
    path("merge/", review_merge_views.RequestMergeView.as_view(), name="api-merge-request-merge"),
    path("queue/", review_merge_views.RequestQueueView.as_view(), name="api-merge-request-queue"),
    path("resolutions/", review_resolve_views.ResolutionListView.as_view(), name="api-resolutions"),
    path("resolutions/batch/", review_resolve_views.ResolutionBatchView.as_view(), name="api-resolution-batch"),
    path("resolutions/<int:resolution_id>/", review_resolve_views.ResolutionView.as_view(), name="api-resolution"),
    path("suggestions/", review_suggestion_views.SuggestionsView.as_view(), name="api-suggestions"),
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
    path(
        "compare/<branch:source>...<branch:destination>/objects/table/<int:table_id>/profile/",
        compare_views.CompareProfileView.as_view(),
        name="api-compare-profile",
    ),
    path("compare/<branch:source>...<branch:destination>/", compare_views.CompareView.as_view(), name="api-compare"),
    path("branches/", catalog_views.BranchListView.as_view(), name="api-branches"),
    path("branches/<branch:branch>/reset/", reset_view.BranchResetView.as_view(), name="api-branch-reset"),
    path("branches/<branch:branch>/trash/", trash_view.TrashView.as_view(), name="api-branch-trash"),
    path("branches/<branch:branch>/history/", history_views.BranchHistoryView.as_view(), name="api-branch-history"),
    path(
        "branches/<branch:branch>/history/<int:version>/operations/",
        history_views.CommitOperationsView.as_view(),
        name="api-commit-operations",
    ),
    path(
        "branches/<branch:branch>/protection/",
        protection_views.BranchProtectionView.as_view(),
        name="api-branch-protection",
    ),
    path("branches/<branch:branch>/", catalog_views.BranchView.as_view(), name="api-branch"),
    path("pipeline-policy/", pipeline_views.PipelinePolicyView.as_view(), name="api-pipeline-policy"),
    path("checks/", review_check_views.CheckListView.as_view(), name="api-checks"),
    path("checks/<str:name>/", review_check_views.CheckView.as_view(), name="api-check"),
    path("dbt-tests/", review_check_views.DbtTestsView.as_view(), name="api-dbt-tests"),
    path("queries/", saved_views.SavedQueryListView.as_view(), name="api-saved-queries"),
    path("queries/<int:query_id>/", saved_views.SavedQueryView.as_view(), name="api-saved-query"),
    path("merge-requests/", review_views.RequestListView.as_view(), name="api-merge-requests"),
    path("merge-requests/<int:number>/", include(merge_request_patterns)),
    path("members/", member_views.MemberListView.as_view(), name="api-members"),
    path("members/<str:username>/", member_views.MemberView.as_view(), name="api-member"),
    path("groups/", group_views.GroupRoleListView.as_view(), name="api-group-roles"),
    path("groups/<str:group>/", group_views.GroupRoleView.as_view(), name="api-group-role"),
    path("restrictions/", restriction_views.RestrictionListView.as_view(), name="api-restrictions"),
    path(
        "restrictions/preview/",
        restriction_preview_view.RestrictionPreviewView.as_view(),
        name="api-restriction-preview",
    ),
    path("restrictions/<int:restriction_id>/", restriction_views.RestrictionView.as_view(), name="api-restriction"),
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
    path("merges/", merge_views.CatalogMergeListView.as_view(), name="api-catalog-merges"),
    path("restores/", merge_views.RestoreListView.as_view(), name="api-restores"),
    path("undrops/", merge_views.UndropListView.as_view(), name="api-undrops"),
    path("graph/", history_views.GraphView.as_view(), name="api-graph"),
    path("", catalog_views.CatalogView.as_view(), name="api-catalog"),
]

pipeline_patterns: list[URLPattern | URLResolver] = [
    path("", pipeline_views.PipelineView.as_view(), name="api-pipeline"),
    path("dry-run/", pipeline_views.PipelineRehearsalView.as_view(), name="api-pipeline-dry-run"),
    path("landing-zones/", landing_views.LandingZoneListView.as_view(), name="api-landing-zones"),
    path("landing-zones/<str:zone>/files/", landing_views.LandingFileListView.as_view(), name="api-landing-files"),
    path(
        "landing-zones/<str:zone>/files/<uuid:file_id>/",
        landing_views.LandingFileView.as_view(),
        name="api-landing-file",
    ),
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
    path("api/v1/samples/", sample_view.SampleView.as_view(), name="api-samples"),
    path("api/v1/results/", result_views.ResultListView.as_view(), name="api-results"),
    path("api/v1/results/<uuid:result_id>/", result_views.ResultView.as_view(), name="api-result"),
    path("api/v1/results/<uuid:result_id>/rows/", result_views.ResultRowsView.as_view(), name="api-result-rows"),
    path("api/v1/sessions/", session_views.SessionListView.as_view(), name="api-sql-sessions"),
    path("api/v1/sessions/<uuid:session_id>/", session_views.SessionView.as_view(), name="api-sql-session"),
    path("api/v1/statements/", statement_views.StatementListView.as_view(), name="api-statements"),
    path("api/v1/statements/<int:statement_id>/", statement_views.StatementView.as_view(), name="api-statement"),
    path("api/v1/tasks/", task_views.TaskListView.as_view(), name="api-tasks"),
    path("api/v1/tasks/<uuid:task_id>/", task_views.TaskView.as_view(), name="api-task"),
    path("api/v1/tasks/<uuid:task_id>/cancel/", task_views.TaskCancelView.as_view(), name="api-task-cancel"),
    path("api/v1/tasks/<uuid:task_id>/retry/", task_views.TaskRetryView.as_view(), name="api-task-retry"),
    path("api/v1/merges/", lake_views.MergeListView.as_view(), name="api-merges"),
    path("api/v1/merges/<str:merge_id>/", lake_views.MergeView.as_view(), name="api-merge"),
    path("api/v1/merges/<str:merge_id>/replay/", lake_views.MergeReplayView.as_view(), name="api-merge-replay"),
    path("api/v1/search/", search_view.SearchView.as_view(), name="api-search"),
    path("api/v1/inbox/", review_views.InboxView.as_view(), name="api-inbox"),
    path("api/v1/markdown/", markdown_view.MarkdownView.as_view(), name="api-markdown"),
    path("api/v1/rules/", lake_views.RulesView.as_view(), name="api-rules"),
    path("api/v1/pipelines/", pipeline_views.PipelineListView.as_view(), name="api-pipelines"),
    path("api/v1/pipelines/fields/", pipeline_views.PipelineFieldsView.as_view(), name="api-pipeline-fields"),
    path("api/v1/pipelines/schedule/", pipeline_views.PipelineScheduleView.as_view(), name="api-pipeline-schedule"),
    path("api/v1/pipelines/render/", pipeline_views.PipelineRenderView.as_view(), name="api-pipeline-render"),
    path("api/v1/pipelines/validate/", pipeline_views.PipelineValidationView.as_view(), name="api-pipeline-validate"),
    path("api/v1/pipelines/<int:pipeline_id>/", include(pipeline_patterns)),
    path("api/v1/tokens/", token_views.TokenListView.as_view(), name="api-tokens"),
    path("api/v1/tokens/<int:token_id>/", token_views.TokenView.as_view(), name="api-token"),
    path(
        "api/v1/account/second-factor/",
        second_factor_views.OwnSecondFactorView.as_view(),
        name="api-account-second-factor",
    ),
    path("api/v1/account/mail/", mail_views.MailChoiceView.as_view(), name="api-account-mail"),
    path("api/v1/account/mail/test/", mail_views.MailTestView.as_view(), name="api-account-mail-test"),
    path("api/v1/account/mail/sent/", mail_views.MailListView.as_view(), name="api-account-mail-sent"),
    path("api/v1/account/", account_views.AccountView.as_view(), name="api-account"),
    path("api/v1/account/password/", account_views.PasswordView.as_view(), name="api-password"),
    path("api/v1/account/sessions/", account_views.SessionListView.as_view(), name="api-sessions"),
    path("api/v1/account/sessions/<uuid:sign_in_id>/", account_views.SessionView.as_view(), name="api-session"),
    path("api/v1/people/", people_views.PersonListView.as_view(), name="api-people"),
    path("api/v1/people/<str:username>/", people_views.PersonView.as_view(), name="api-person"),
    path("api/v1/people/<str:username>/link/", people_views.PersonLinkView.as_view(), name="api-person-link"),
    path(
        "api/v1/people/<str:username>/second-factor/",
        second_factor_views.PersonSecondFactorView.as_view(),
        name="api-person-second-factor",
    ),
    path("api/v1/rights-records/", people_views.RightsRecordListView.as_view(), name="api-rights-records"),
    path("api/v1/groups/", group_views.GroupListView.as_view(), name="api-groups"),
    path("api/v1/groups/<str:group>/", group_views.GroupView.as_view(), name="api-group"),
    path(
        "api/v1/groups/<str:group>/members/<str:username>/",
        group_views.GroupMemberView.as_view(),
        name="api-group-member",
    ),
    path("api/v1/agents/", agent_views.AgentListView.as_view(), name="api-agents"),
    path("api/v1/agents/<str:name>/", agent_views.AgentView.as_view(), name="api-agent"),
    path("api/v1/agents/<str:name>/tokens/", agent_views.AgentTokenView.as_view(), name="api-agent-tokens"),
    path("metrics", metrics_view.MetricsView.as_view(), name="metrics"),
    path("api/v1/dropped-catalogs/", dropped_views.DroppedCatalogListView.as_view(), name="api-dropped-catalogs"),
    path(
        "api/v1/dropped-catalogs/<int:catalog_id>/undrop/",
        dropped_views.DroppedCatalogView.as_view(),
        name="api-catalog-undrop",
    ),
    path("api/v1/catalogs/", catalog_views.CatalogListView.as_view(), name="api-catalogs"),
    path("api/v1/catalogs/<str:catalog>/", include(catalog_patterns)),
    path("api/<path:rest>", errors.unknown_endpoint),
]
