"""The adapter: dbt-spark's, whose tables are all such that MERGE and CREATE OR REPLACE work."""

from __future__ import annotations

from dbt.adapters.base import BaseRelation
from dbt.adapters.lakeui.connections import LakeuiConnectionManager
from dbt.adapters.spark import SparkAdapter, SparkColumn
from dbt_common.exceptions import DbtRuntimeError

UNKNOWN = "NOT_FOUND: "
"""How the driver says that a table or a database is not there."""


class LakeuiAdapter(SparkAdapter):
    ConnectionManager = LakeuiConnectionManager

    def list_relations_without_caching(self, schema_relation: BaseRelation) -> list[BaseRelation]:
        try:
            found = super().list_relations_without_caching(schema_relation)
        except DbtRuntimeError as error:
            if UNKNOWN not in str(error):
                raise
            return []
        # The name by which dbt-spark knows a table that takes MERGE.
        return [relation.replace(is_delta=relation.is_table) for relation in found]

    def get_columns_in_relation(self, relation: BaseRelation) -> list[SparkColumn]:
        try:
            _, rows = self.execute(f"DESCRIBE {relation}", fetch=True)
        except DbtRuntimeError as error:
            if UNKNOWN not in str(error):
                raise
            return []
        return [
            SparkColumn(
                table_schema=relation.schema,
                table_name=relation.identifier,
                table_type=relation.type,
                column=row["column"],
                column_index=index,
                dtype=row["type"],
            )
            for index, row in enumerate(rows)
        ]
