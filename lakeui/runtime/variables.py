"""Every environment variable that lakeui reads: name, type, default and meaning, once.

Pydantic checks values. docs/reference/settings.md is made of this.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

from lakeui.runtime.variable_types import (
    Allowed,
    Count,
    Database,
    Files,
    Folder,
    Format,
    Groups,
    Level,
    Mail,
    Memory,
    MemoryOrNone,
    Names,
    Networks,
    Number,
    Off,
    Origin,
    Origins,
    Places,
    Port,
    Positive,
    Redis,
    Root,
    Scopes,
    SecondFactorRule,
    SecondsByRole,
    Sender,
    SigningKey,
    Spark,
    Switch,
    Syslog,
    Text,
    WebAddress,
)


def _variable(name: str, default: Any, meaning: str, *, otherwise: str = "", secret: bool = False) -> Any:
    """``otherwise``: what holds where nothing is said, if that is more than the default says."""
    extra: dict[str, Any] = {"otherwise": otherwise, "secret": secret}
    return Field(default, alias=name, description=meaning, repr=not secret, json_schema_extra=extra)


class Variables(BaseModel):
    """What is set, checked. A variable that is empty counts as not set."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    database_url: Database = _variable(
        "DATABASE_URL", "", "The address of PostgreSQL.", otherwise="the one that `up` starts", secret=True
    )
    redis_url: Redis = _variable(
        "REDIS_URL", "", "The address of Redis.", otherwise="the one that `up` starts", secret=True
    )
    spark_remote: Spark = _variable(
        "SPARK_REMOTE", "", "The address of Spark Connect.", otherwise="the one that `up` starts", secret=True
    )
    spark_query_remote: Spark = _variable(
        "LAKEUI_SPARK_QUERY_REMOTE",
        "",
        "The address of a Spark Connect server for queries alone.",
        otherwise="the one that `up` starts; where SPARK_REMOTE is set, that serves both",
        secret=True,
    )
    warehouse: Root = _variable(
        "LAKEUI_WAREHOUSE",
        "",
        "Where the files of tables lie. Web server, worker and Spark reach it by the same path, or in the same store.",
        otherwise="`warehouse` in LAKEUI_HOME",
    )
    store_endpoint: Origin = _variable(
        "LAKEUI_STORE_ENDPOINT",
        "",
        "The address of the server of the store, where it is none of Amazon, Google or Azure.",
        otherwise="theirs",
    )
    store_region: Text = _variable(
        "LAKEUI_STORE_REGION", "", "The region of the bucket.", otherwise="as AWS_REGION or the machine says"
    )
    store_path_style: Switch = _variable(
        "LAKEUI_STORE_PATH_STYLE",
        True,
        "Whether the bucket stands in the path of a request to LAKEUI_STORE_ENDPOINT, not in the name of the host.",
    )
    store_access_key: Text = _variable(
        "LAKEUI_STORE_ACCESS_KEY",
        "",
        "For s3://, the access key of an account that reads, writes, lists and removes files below LAKEUI_WAREHOUSE.",
        otherwise="as AWS_ACCESS_KEY_ID says, or by the role of the machine",
        secret=True,
    )
    store_secret_key: Text = _variable(
        "LAKEUI_STORE_SECRET_KEY",
        "",
        "For s3://, the secret key of that account; both are set, or none. For abfss://, the key of the account.",
        otherwise="as AWS_SECRET_ACCESS_KEY or AZURE_CLIENT_SECRET says, or by the role of the machine",
        secret=True,
    )
    store_reader_role: Text = _variable(
        "LAKEUI_STORE_READER_ROLE",
        "",
        "For s3://, a role that reads files below LAKEUI_WAREHOUSE. Other engines that ask for it get keys of the role,"
        " for one table and one hour.",
        otherwise="they have keys of their own",
    )
    home: Folder = _variable(
        "LAKEUI_HOME",
        "",
        "Where `up` and what it starts keep their state.",
        otherwise="`var` in the repository; installed, `lakeui` in XDG_DATA_HOME",
    )
    port: Port = _variable("LAKEUI_PORT", 8000, "The port of the web server.")
    demo: Switch = _variable("LAKEUI_DEMO", True, "Whether the first start loads the demo lake.")
    admin_password: Text = _variable(
        "LAKEUI_ADMIN_PASSWORD",
        "",
        "The password of the first user, `admin`.",
        otherwise="`up` makes one and shows it once; `prepare` makes no user",
        secret=True,
    )
    spark_memory: Memory = _variable(
        "LAKEUI_SPARK_MEMORY", "", "The heap of the Spark server.", otherwise="2g to 4g, by the memory of the machine"
    )
    spark_query_memory: MemoryOrNone = _variable(
        "LAKEUI_SPARK_QUERY_MEMORY",
        "",
        "The heaps of the Spark server of queries, from 900m on half for its tasks; 0 starts none.",
        otherwise="2g from 8 GiB of memory on, 3g from 16 on, else none is started",
    )
    spark_jars: Files = _variable(
        "LAKEUI_SPARK_JARS",
        (),
        "Java archives that the Spark server loads besides: the driver of the store, and what it needs.",
    )
    worker_processes: Positive | None = _variable(
        "LAKEUI_WORKER_PROCESSES", None, "How many tasks run at a time.", otherwise="one a core, at least 2"
    )
    https: Switch = _variable(
        "LAKEUI_HTTPS",
        False,
        "Secure cookies, redirects and HSTS. A key of 50 characters and a host are then demanded, and no debug pages.",
    )
    secret_key: Text = _variable(
        "LAKEUI_SECRET_KEY",
        "",
        "Signs sessions; the same for every process.",
        otherwise="one that is made once and kept in LAKEUI_HOME",
        secret=True,
    )
    allowed_hosts: Names = _variable(
        "LAKEUI_ALLOWED_HOSTS", (), "Names that the server answers to, beside those of this machine."
    )
    trusted_origins: Origins = _variable(
        "LAKEUI_TRUSTED_ORIGINS", (), "Origins whose forms are taken, where a proxy ends TLS."
    )
    behind_proxy: Switch = _variable(
        "LAKEUI_BEHIND_PROXY",
        False,
        "Believe what a proxy writes into X-Forwarded-Proto, and last into X-Forwarded-For.",
    )
    static_root: Folder = _variable(
        "LAKEUI_STATIC_ROOT",
        "",
        "Where `prepare` puts static files and the web server reads them.",
        otherwise="`static` in LAKEUI_HOME",
    )
    webhook_networks: Networks = _variable(
        "LAKEUI_WEBHOOK_NETWORKS", "", "Private networks into which webhooks may lead."
    )
    oidc_issuer: WebAddress = _variable("LAKEUI_OIDC_ISSUER", "", "The OpenID provider; none turns it off.")
    oidc_client_id: Text = _variable("LAKEUI_OIDC_CLIENT_ID", "", "As what lakeui is registered there.")
    oidc_client_secret: Text = _variable(
        "LAKEUI_OIDC_CLIENT_SECRET", "", "The secret of that registration.", secret=True
    )
    oidc_name: Text = _variable("LAKEUI_OIDC_NAME", "single sign-on", "What the button says.")
    oidc_scopes: Scopes = _variable(
        "LAKEUI_OIDC_SCOPES",
        "openid profile email",
        "What lakeui asks the provider for. Some send groups only where `groups` is among them.",
    )
    oidc_new_accounts: Switch = _variable(
        "LAKEUI_OIDC_NEW_ACCOUNTS", True, "Whether who signs in for the first time gets an account."
    )
    oidc_groups_claim: Text = _variable(
        "LAKEUI_OIDC_GROUPS_CLAIM", "groups", "The claim that lists groups of a person."
    )
    oidc_groups: Groups = _variable(
        "LAKEUI_OIDC_GROUPS",
        {},
        "Which group here a value of that claim means. At each sign-in people enter and leave these groups as it says.",
    )
    second_factor: SecondFactorRule = _variable(
        "LAKEUI_SECOND_FACTOR",
        "none",
        "Who signs in by password and a second factor. `staff` are staff and superusers; `owner` and `maintainer`"
        " these and whoever has at least that role in a catalog. Everybody else may set one up.",
    )
    mail_server: Mail = _variable(
        "LAKEUI_MAIL_SERVER",
        "",
        "The mail server that sends invitations and what people chose; none sends nothing.",
        secret=True,
    )
    mail_from: Sender = _variable("LAKEUI_MAIL_FROM", "lakeui@localhost", "From whom mails come.")
    public_url: Origin = _variable(
        "LAKEUI_PUBLIC_URL",
        "",
        "The address at which people open the pages. Mails link to it.",
        otherwise="http://localhost with LAKEUI_PORT",
    )
    requests_per_minute: Count = _variable(
        "LAKEUI_REQUESTS_PER_MINUTE",
        3000,
        "Requests of one person; 0 for no limit. More are answered with 429 and Retry-After.",
    )
    connections_per_address: Count | None = _variable(
        "LAKEUI_CONNECTIONS_PER_ADDRESS",
        None,
        "Connections of one address in each web process; 0 for no limit.",
        otherwise="200; 0 behind a proxy, whose address all share",
    )
    queries_per_person: Count = _variable(
        "LAKEUI_QUERIES_PER_PERSON",
        6,
        "Queries of one person at a time; 0 for no limit. One more is answered with 429 and Retry-After.",
    )
    statement_seconds: Number = _variable(
        "LAKEUI_STATEMENT_SECONDS",
        300.0,
        "Seconds that a query may take; 0 for no limit. Then it is stopped and answered with 504.",
    )
    statement_seconds_by_role: SecondsByRole = _variable(
        "LAKEUI_STATEMENT_SECONDS_BY_ROLE",
        {},
        "Other seconds for a role in the catalog of the query: `viewer=60, owner=1800`. SHOW QUERIES and the query's"
        " task say them as `longest_seconds`.",
    )
    query_tasks: Count = _variable(
        "LAKEUI_QUERY_TASKS",
        1,
        "Queries that run as tasks at a time, in all workers; 0 for no limit. More of them wait, so that writes and"
        " merges find a free worker process.",
    )
    query_task_seconds: Number = _variable(
        "LAKEUI_QUERY_TASK_SECONDS", 3600.0, "Seconds that a query may take as a task; 0 for no limit."
    )
    write_tasks_per_person: Count = _variable(
        "LAKEUI_WRITE_TASKS_PER_PERSON",
        1,
        "Writes, loads, merges and pipeline runs of one person at a time; 0 for no limit. Keep it below the number of"
        " worker processes. More of them wait.",
    )
    waiting_tasks_per_person: Count = _variable(
        "LAKEUI_WAITING_TASKS_PER_PERSON",
        100,
        "How many of them one person may have waiting; 0 for no limit. One more is answered with 429,"
        " `TOO_MANY_QUEUED` and Retry-After.",
    )
    write_task_seconds: Number = _variable(
        "LAKEUI_WRITE_TASK_SECONDS",
        14_400.0,
        "Seconds that one of them may take; 0 for no limit. Then it is stopped, fails with `STATEMENT_TIMEOUT`, and"
        " nothing is written.",
    )
    write_task_seconds_by_role: SecondsByRole = _variable(
        "LAKEUI_WRITE_TASK_SECONDS_BY_ROLE",
        {},
        "Other seconds for a role in the catalog of the task: `contributor=1800`.",
    )
    import_megabytes: Number = _variable(
        "LAKEUI_IMPORT_MEGABYTES", 512.0, "The largest file that can be imported, in MiB, as sent and unpacked."
    )
    result_gigabytes: Number = _variable(
        "LAKEUI_RESULT_GIGABYTES", 20.0, "The most that kept results of one person have, in GiB; 0 sets no bound."
    )
    export_rows: Count = _variable("LAKEUI_EXPORT_ROWS", 1_000_000, "The most rows that are downloaded as one file.")
    audit_key: SigningKey = _variable(
        "LAKEUI_AUDIT_KEY",
        "",
        "The Ed25519 key, as PEM, that signs checkpoints of the audit; none makes no checkpoints.",
        secret=True,
    )
    audit_checkpoints: Text = _variable(
        "LAKEUI_AUDIT_CHECKPOINTS",
        "",
        "The file that signed checkpoints are appended to, best on another machine's disk.",
    )
    audit_syslog: Syslog = _variable(
        "LAKEUI_AUDIT_SYSLOG",
        "",
        "The syslog server that signed checkpoints are sent to.",
    )
    retention_days: Number = _variable(
        "LAKEUI_RETENTION_DAYS", 30.0, "How old history and trash must be for `VACUUM`, in days."
    )
    staged_hours: Number = _variable(
        "LAKEUI_STAGED_HOURS", 24.0, "How old files that no commit took must be for `VACUUM`, in hours."
    )
    import_hours: Number = _variable(
        "LAKEUI_IMPORT_HOURS", 24.0, "How long a file to be imported waits to be loaded, in hours."
    )
    statements_kept: Count = _variable(
        "LAKEUI_STATEMENTS_KEPT",
        1000,
        "The most statements of a person that their history keeps over night; 0 keeps none.",
    )
    statement_days: Number = _variable(
        "LAKEUI_STATEMENT_DAYS", 30.0, "How long a statement stays in the history of its person, in days."
    )
    import_locations: Places = _variable(
        "LAKEUI_IMPORT_LOCATIONS",
        (),
        "Where statements may read files of others: folders, or addresses in the store of the warehouse, with what"
        " lies below. Whoever may write a table of any catalog can read all of it.",
        otherwise="none",
    )
    log_level: Level = _variable("LAKEUI_LOG_LEVEL", "INFO", "The least level that is logged.")
    log_format: Format = _variable("LAKEUI_LOG_FORMAT", "text", "Lines for people, or a JSON object a line.")
    traces: Switch = _variable(
        "LAKEUI_TRACES", False, "Spans for OpenTelemetry, which needs the extra `traces` of the package."
    )
    debug: Switch = _variable("LAKEUI_DEBUG", False, "Django's debug pages, for developers only.")
    disable_duckdb_merge: Off = _variable(
        "LAKEUI_DISABLE_DUCKDB_MERGE", "0", "1 matches rows of keyed merges without DuckDB's MERGE."
    )


SECTIONS = {
    "Services of your own": "DATABASE_URL",
    "A warehouse in an object store": "LAKEUI_STORE_ENDPOINT",
    "What `up` starts on one machine": "LAKEUI_HOME",
    "Behind a name of its own": "LAKEUI_HTTPS",
    "Single sign-on": "LAKEUI_OIDC_ISSUER",
    "Mail": "LAKEUI_MAIL_SERVER",
    "Limits": "LAKEUI_REQUESTS_PER_MINUTE",
    "Audit": "LAKEUI_AUDIT_KEY",
    "What is kept, and for how long": "LAKEUI_RETENTION_DAYS",
    "Logs and traces": "LAKEUI_LOG_LEVEL",
}
"""By its title, the variable with which each part of the page begins."""
FIELDS: dict[str, FieldInfo] = {str(field.alias): field for field in Variables.model_fields.values()}
"""By name of its variable, each setting, in the order of the page."""


def is_secret(name: str) -> bool:
    """Whether the value is never shown, and may stand in a file that NAME_FILE names."""
    return bool(_extra(FIELDS[name])["secret"])


def otherwise(field: FieldInfo) -> str:
    """What holds where nothing is said, for people."""
    default = field.default
    if said := str(_extra(field)["otherwise"]):
        return said
    if isinstance(default, bool):
        return "1" if default else "0"
    if isinstance(default, float | int):
        return f"{default:.0f}"
    return str(default) if default else "none"


def allowed(field: FieldInfo) -> str:
    """What a value may be."""
    return next(part.text for part in _parts(field) if isinstance(part, Allowed))


def _extra(field: FieldInfo) -> dict[str, Any]:
    assert isinstance(field.json_schema_extra, dict)
    return field.json_schema_extra


def _parts(field: FieldInfo) -> list[Any]:
    """The metadata of the type; that of ``X | None`` is inside of the union."""
    options = getattr(field.annotation, "__args__", ())
    return [*field.metadata, *(part for option in options for part in getattr(option, "__metadata__", ()))]
