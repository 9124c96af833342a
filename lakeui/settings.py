"""Settings, all from the environment (docs/reference/settings.md lists it) or from the services that ``up`` started."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import unquote, urlsplit

from lakeui.common.collector import loading_begins
from lakeui.common.logs import log_settings
from lakeui.common.traces import traces_require
from lakeui.runtime.calling import BASE, IN_REPOSITORY
from lakeui.runtime.database.address import database_settings
from lakeui.runtime.discovery import home_directory, refuse_unfit_for_production, secret_key, services_discover
from lakeui.runtime.environment import variables_read
from lakeui.runtime.stores import store_options

# To look for cycles in what is loaded takes a sixth of the time of each start. ApiConfig ends it.
loading_begins()

BASE_DIR = BASE
VARIABLES = variables_read(os.environ)
refuse_unfit_for_production(VARIABLES)
HOME = home_directory(os.environ, BASE_DIR if IN_REPOSITORY else None)
SERVICES = services_discover(os.environ, HOME)

# What lakeui's own code reads. Addresses are empty when neither the environment nor a running `up` says.
LAKEUI: dict[str, Any] = {
    "HOME": str(HOME),
    "METRICS": str(HOME / "metrics"),
    "WAREHOUSE": SERVICES.warehouse,
    # How the store is reached where the warehouse lies in one.
    "STORE": store_options(VARIABLES),
    "SPARK_REMOTE": SERVICES.spark_remote,
    # For queries; empty where one server is to serve both.
    "SPARK_QUERY_REMOTE": SERVICES.spark_query_remote,
    "REDIS_URL": SERVICES.redis_url,
    "PORT": VARIABLES.port,
    # What VACUUM may take: history and trash older than so many days, files staged but never committed after hours.
    "RETENTION_DAYS": VARIABLES.retention_days,
    "STAGED_HOURS": VARIABLES.staged_hours,
    # Files to be imported: the largest that is taken, and how long one waits to be loaded.
    "IMPORT_MEGABYTES": VARIABLES.import_megabytes,
    "RESULT_GIGABYTES": VARIABLES.result_gigabytes,
    "IMPORT_HOURS": VARIABLES.import_hours,
    # Of the statements that a person ran: the most that are kept, and for how long.
    "STATEMENTS_KEPT": VARIABLES.statements_kept,
    "STATEMENT_DAYS": VARIABLES.statement_days,
    # Below these places statements may read files that are not lakeui's.
    "IMPORT_LOCATIONS": VARIABLES.import_locations,
    # Single sign-on at an OpenID provider; off while no issuer is named.
    "OIDC_ISSUER": VARIABLES.oidc_issuer,
    "OIDC_CLIENT_ID": VARIABLES.oidc_client_id,
    "OIDC_CLIENT_SECRET": VARIABLES.oidc_client_secret,
    "OIDC_NAME": VARIABLES.oidc_name,
    "OIDC_SCOPES": VARIABLES.oidc_scopes,
    "OIDC_NEW_ACCOUNTS": VARIABLES.oidc_new_accounts,
    # Which group here a value of the claim means.
    "OIDC_GROUPS_CLAIM": VARIABLES.oidc_groups_claim,
    "OIDC_GROUPS": VARIABLES.oidc_groups,
    # Who signs in by a second factor too.
    "SECOND_FACTOR": VARIABLES.second_factor,
    # Whether mail is sent, and the address of the pages that it links to.
    "MAIL": bool(VARIABLES.mail_server),
    "PUBLIC_URL": (VARIABLES.public_url or f"http://localhost:{VARIABLES.port}").rstrip("/"),
    # Of one person, on all web processes together; 0 for no limit.
    "REQUESTS_PER_MINUTE": VARIABLES.requests_per_minute,
    # Queries that run inside of requests: how many of one person at a time, and how long one may take; 0 for no limit.
    "QUERIES_PER_PERSON": VARIABLES.queries_per_person,
    "STATEMENT_SECONDS": VARIABLES.statement_seconds,
    "STATEMENT_SECONDS_BY_ROLE": VARIABLES.statement_seconds_by_role,
    # Queries that run as tasks: how many run at a time, so that merges and writes find a free worker, and how long one
    # may take; 0 for no limit.
    "QUERY_TASKS": VARIABLES.query_tasks,
    "QUERY_TASK_SECONDS": VARIABLES.query_task_seconds,
    # Writes, loads, merges and runs of pipelines: how many of one person run at a time, fewer than there are worker
    # processes, and how long one may take; 0 for no limit.
    "WRITE_TASKS_PER_PERSON": VARIABLES.write_tasks_per_person,
    # How many of them one person may have waiting; 0 for no limit.
    "WAITING_TASKS_PER_PERSON": VARIABLES.waiting_tasks_per_person,
    "WRITE_TASK_SECONDS": VARIABLES.write_task_seconds,
    "WRITE_TASK_SECONDS_BY_ROLE": VARIABLES.write_task_seconds_by_role,
    # Webhooks lead to public addresses, and into these networks: "10.1.0.0/16, fd00::/8".
    "WEBHOOK_NETWORKS": VARIABLES.webhook_networks,
    # Spans for OpenTelemetry, which needs the extra "traces".
    "TRACES": VARIABLES.traces,
    # Signs checkpoints of the audit. They are appended to this file, and sent to this syslog server and to webhooks.
    "AUDIT_KEY": VARIABLES.audit_key,
    "AUDIT_CHECKPOINTS": VARIABLES.audit_checkpoints,
    "AUDIT_SYSLOG": VARIABLES.audit_syslog,
    # A result with more rows is not downloaded as one file.
    "EXPORT_ROWS": VARIABLES.export_rows,
}
if LAKEUI["TRACES"]:
    traces_require()
# The Prometheus library looks for it when it is first imported, so it is said before anything can.
os.environ["PROMETHEUS_MULTIPROC_DIR"] = LAKEUI["METRICS"]

DEBUG = VARIABLES.debug
# Behind HTTPS set LAKEUI_HTTPS=1; `up` on a loopback address has none.
HTTPS = VARIABLES.https
SECRET_KEY = secret_key(VARIABLES, HOME)
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", *VARIABLES.allowed_hosts]
CSRF_TRUSTED_ORIGINS = list(VARIABLES.trusted_origins)

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_otp",
    "django_otp.plugins.otp_static",
    "django_otp.plugins.otp_totp",
    "rest_framework",
    "drf_spectacular",
    "lakeui.runtime",
    "lakeui.access",
    "lakeui.tasks",
    "lakeui.api",
    "catalog_app",
    "merge_app",
    "merge_app.jobs",
    "merge_app.pipelines",
]

MIDDLEWARE = [
    "lakeui.api.http.request_ids.RequestIds",
    "lakeui.api.http.request_metrics.RequestMetrics",
    "django.middleware.security.SecurityMiddleware",
    "lakeui.access.content_policy.ContentPolicyMiddleware",
    "lakeui.api.http.health.Probes",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "lakeui.api.http.compression.Compression",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "lakeui.access.sessions.session_seen",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "lakeui.urls"
WSGI_APPLICATION = "lakeui.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "lakeui" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "lakeui.access.themes.theme",
            ],
        },
    },
]

DATABASES = {"default": database_settings(SERVICES.database_url)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": SERVICES.redis_url or "redis://127.0.0.1:6379/0",
        "KEY_PREFIX": "lakeui",
    },
}

CELERY_BROKER_URL = SERVICES.redis_url
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A lost broker must fail a request soon; the task's row is kept, and workers are notified again.
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_timeout": 10, "socket_connect_timeout": 5}
CELERY_TIMEZONE = "UTC"

AUTHENTICATION_BACKENDS = ["lakeui.access.backends.PeopleBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/login/"

OTP_TOTP_ISSUER = "lakeui"

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "/static/"
# The browser application as `npm run build` leaves it; a wheel has it in the package. Pages say what to run while it
# is missing.
BUNDLE_DIR = BASE_DIR / "frontend" / "dist" if IN_REPOSITORY else BASE_DIR / "lakeui" / "pages"
STATICFILES_DIRS = [("app", BUNDLE_DIR)] if BUNDLE_DIR.is_dir() else []
STATIC_ROOT = VARIABLES.static_root or str(HOME / "static")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
}

# Vite writes a hash of the content into names, so that these never change.
WHITENOISE_IMMUTABLE_FILE_TEST = r"/app/assets/[^/]+-[A-Za-z0-9_-]{8}\.[a-z0-9]+$"

_MAIL = urlsplit(VARIABLES.mail_server)
EMAIL_HOST = _MAIL.hostname or "localhost"
EMAIL_USE_SSL, EMAIL_USE_TLS = _MAIL.scheme == "smtps", _MAIL.scheme == "smtp+starttls"
EMAIL_PORT = _MAIL.port or (465 if EMAIL_USE_SSL else 587 if EMAIL_USE_TLS else 25)
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = unquote(_MAIL.username or ""), unquote(_MAIL.password or "")
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = VARIABLES.mail_from

SESSION_ENGINE = "lakeui.access.sessions"
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
BEHIND_PROXY = VARIABLES.behind_proxy
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^(livez|healthz|readyz)$"]
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"

# A statement of 1 MiB may be six times that as JSON, when each byte of it is escaped; the view measures the statement.
DATA_UPLOAD_MAX_MEMORY_SIZE = 7 * 1024 * 1024

REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "lakeui.api.http.openapi.OperationSchema",
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["lakeui.api.http.strict.StrictJSONParser"],
    # Accept says how an answer is written; a parameter for that would be one that no operation declares.
    "URL_FORMAT_OVERRIDE": None,
    # Of X-Forwarded-For only what the proxy before this server wrote is believed: the rest is whatever a client sends.
    "NUM_PROXIES": 1 if BEHIND_PROXY else 0,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "lakeui",
    "DESCRIPTION": "Branches, history and merges for tables of Parquet files.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "lakeui.api.http.openapi.document_complete",
    ],
    "ENUM_NAME_OVERRIDES": {
        "ObjectKind": ["database", "table", "view"],
        "MergedKind": ["database", "table"],
        "ChangeSinceReview": ["new", "changed", "gone"],
        "FindingVerdict": ["ok", "conflict", "note", "decided"],
        "ObjectVerdict": ["ok", "conflict", "note", "decided", "new"],
        "ObjectAction": ["create", "alter", "drop", "untouched"],
        "MergeStrategy": ["full_refresh", "incremental", "append_only", "delete_insert", "scd2", "snapshot"],
        "Standing": ["person", "staff", "superuser"],
        "PersonState": ["active", "invited", "disabled"],
        "CatalogRole": ["viewer", "contributor", "reviewer", "maintainer", "owner"],
        "RestrictedRole": ["viewer", "contributor", "reviewer", "maintainer"],
        "TaskState": "merge_app.jobs.models.TaskState",
        "MergeRequestState": [
            *("draft", "open", "changes_requested", "approved", "queued", "merging", "merged", "conflicted", "closed"),
        ],
        "ChosenRequestState": ["closed", "draft", "open"],
        "ReviewVerdict": ["approve", "request_changes", "withdraw"],
        "BlockerCode": [
            *("DRAFT", "CHANGES_REQUESTED", "APPROVALS_MISSING", "CHECK_MISSING", "CHECK_FAILED", "CONFLICTS"),
            *("STATUS_MISSING", "STATUS_FAILED", "BRANCH_GONE"),
        ],
        "MailEvent": [
            *("review_asked", "request_reviewed", "request_commented", "request_merged", "request_refused"),
            *("task_succeeded", "task_failed", "pipeline_failed", "branch_expires", "test"),
        ],
        "ChosenMailEvent": [
            *("review_asked", "request_reviewed", "request_commented", "request_merged", "request_refused"),
            *("task_succeeded", "task_failed", "pipeline_failed", "branch_expires"),
        ],
        "MailState": ["pending", "sent", "failed"],
        "MessageChannel": ["mail", "chat"],
        "EventEnum": "merge_app.webhooks.models.EVENT_NAMES",
        "EventsEnum": "merge_app.webhooks.models.SUBSCRIBABLE",
        "StatusState": ["pending", "success", "failure", "error"],
        "CheckResultState": ["passed", "failed", "broken"],
        "TimelineKind": "merge_app.review.models.TimelineKind",
        "CommentPlace": "merge_app.review.models.CommentPlace",
        "ConflictDecision": ["source", "destination", "leave_out", "rename", "larger", "newest", "edited"],
        "RowChange": ["insert", "update", "delete"],
        "ResolutionPart": ["object", "property", "column", "partition", "rows", "row", "cell"],
        "TokenScope": ["read", "write", "merge", "admin"],
    },
}

LOGGING = log_settings(level=VARIABLES.log_level, as_json=VARIABLES.log_format == "json")
