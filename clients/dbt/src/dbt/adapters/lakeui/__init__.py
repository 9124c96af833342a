"""dbt's adapter for a branch of lakeui: the SQL of dbt-spark, sent by the DB-API driver of lakeui-client."""

from dbt.adapters.base import AdapterPlugin
from dbt.adapters.lakeui.connections import LakeuiCredentials
from dbt.adapters.lakeui.impl import LakeuiAdapter
from dbt.include import lakeui

Plugin = AdapterPlugin(
    adapter=LakeuiAdapter,
    credentials=LakeuiCredentials,
    include_path=lakeui.PACKAGE_PATH,
    dependencies=["spark"],
)
