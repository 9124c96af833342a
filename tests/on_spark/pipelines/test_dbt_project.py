"""What the Spark adapter of dbt sends for one project: seed, table, view, incremental models, snapshot, tests and docs.

The statements have the shape of the adapter's macros (dbt-spark: adapters, materializations), for a project of our own:
orders of a shop. ``Conversation`` keeps what dbt's connection keeps.
"""

from __future__ import annotations

from typing import Any

import pytest

from lakeui.api.sql.conversation import Conversation
from lakeui.common.errors import CheckViolated
from lakeui.tasks.statements import statement_run
from merge_app.jobs.context import Context
from tests.support.lake import Lake

LIST = ("show databases", "create schema if not exists shop", "show table extended in shop like '*'")

SEED = (
    "drop table if exists shop.raw_orders",
    """create table shop.raw_orders (order_id bigint,customer string,amount double,placed timestamp)
    using delta
    comment 'orders as the till has them'""",
)
SEED_ROWS = (
    "insert into shop.raw_orders values"
    " (cast(? as bigint),cast(? as string),cast(? as double),cast(? as timestamp)),"
    "(cast(? as bigint),cast(? as string),cast(? as double),cast(? as timestamp))"
)

TABLE = (
    """create or replace table shop.orders
      using delta
      tblproperties ('owner' = 'ada' , 'tier' = '1')
      partitioned by (day)
      comment 'one row an order; it\\'s cleaned'
      as
      with source as (select * from shop.raw_orders)
      select order_id, customer, cast(amount as decimal(9,2)) as amount, cast(placed as date) as day, placed
      from source""",
    "describe extended shop.orders",
    "alter table shop.orders change column order_id comment 'the key, it\\'s unique';",
    "alter table shop.orders add constraint amount_is_positive check (amount > 0);",
    "alter table shop.orders change column order_id set not null ;",
)

VIEW = (
    """create or replace view shop.big_orders
  (
    `order_id` comment 'the key',
    `customer`
  )
  comment 'orders of more than ten'
  as
    select order_id, customer from shop.orders where amount > 10""",
    "select * from (select order_id from shop.orders) as __dbt_sbq where false limit 0",
    "show tblproperties shop.orders",
)

MERGE = (
    """create or replace temporary view orders_by_customer__dbt_tmp as
      select customer, count(*) as orders, max(placed) as newest from shop.orders
      where placed >= (select coalesce(max(newest), timestamp'1970-01-01') from shop.orders_by_customer)
      group by customer""",
    "describe extended orders_by_customer__dbt_tmp",
    "alter table shop.orders_by_customer add columns (orders bigint)",
    """merge into shop.orders_by_customer as DBT_INTERNAL_DEST
      using orders_by_customer__dbt_tmp as DBT_INTERNAL_SOURCE
      on DBT_INTERNAL_SOURCE.customer = DBT_INTERNAL_DEST.customer
      when matched then update set *
      when not matched then insert *""",
)

OVERWRITE = (
    "set spark.sql.sources.partitionOverwriteMode = DYNAMIC",
    """create or replace temporary view daily__dbt_tmp as
      select sum(amount) as amount, day from shop.orders where day >= date'2026-01-02' group by day""",
    """insert overwrite table shop.daily
    partition (day)
    select `amount`, `day` from daily__dbt_tmp""",
)

APPEND = (
    "create or replace temporary view log__dbt_tmp as select order_id, current_timestamp() as seen from shop.orders",
    "insert into table shop.log select `order_id`, `seen` from log__dbt_tmp",
)

DELETE_INSERT = (
    "create or replace temporary view daily__dbt_tmp as select 99 as amount, date'2026-01-02' as day",
    "delete from shop.daily where day in (select day from daily__dbt_tmp)",
    "insert into shop.daily (amount, day) (select amount, day from daily__dbt_tmp)",
)

SNAPSHOT_BUILD = """create or replace table shop.orders_snapshot
      using delta
      as
    select *,
        md5(coalesce(cast(order_id as string ), '')
         || '|' || coalesce(cast(placed as string ), '')
        ) as dbt_scd_id,
        placed as dbt_updated_at,
        placed as dbt_valid_from,
        coalesce(nullif(placed, placed), null) as dbt_valid_to
    from (select order_id, amount, placed from shop.orders) sbq"""

SNAPSHOT = (
    "describe extended shop.orders_snapshot",
    """create or replace view shop.orders_snapshot__dbt_tmp
  as
    with snapshot_query as (select order_id, amount, placed from shop.orders),
    snapshotted_data as (
        select *, order_id as dbt_unique_key from shop.orders_snapshot where dbt_valid_to is null
    ),
    insertions_source_data as (
        select *, order_id as dbt_unique_key, placed as dbt_updated_at, placed as dbt_valid_from,
            nullif(placed, placed) as dbt_valid_to,
            md5(coalesce(cast(order_id as string ), '') || '|' || coalesce(cast(placed as string ), '')) as dbt_scd_id
        from snapshot_query
    ),
    updates_source_data as (
        select *, order_id as dbt_unique_key, placed as dbt_updated_at, placed as dbt_valid_from,
            placed as dbt_valid_to
        from snapshot_query
    ),
    insertions as (
        select 'insert' as dbt_change_type, source_data.*
        from insertions_source_data as source_data
        left outer join snapshotted_data on snapshotted_data.dbt_unique_key = source_data.dbt_unique_key
        where snapshotted_data.dbt_unique_key is null
           or (snapshotted_data.dbt_unique_key is not null
               and (snapshotted_data.dbt_valid_from < source_data.placed))
    ),
    updates as (
        select 'update' as dbt_change_type, source_data.*, snapshotted_data.dbt_scd_id
        from updates_source_data as source_data
        join snapshotted_data on snapshotted_data.dbt_unique_key = source_data.dbt_unique_key
        where (snapshotted_data.dbt_valid_from < source_data.placed)
    )
    select * from insertions
    union all
    select * from updates""",
    "describe extended shop.orders_snapshot__dbt_tmp",
    """merge into shop.orders_snapshot as DBT_INTERNAL_DEST
    using shop.orders_snapshot__dbt_tmp as DBT_INTERNAL_SOURCE
    on DBT_INTERNAL_SOURCE.dbt_scd_id = DBT_INTERNAL_DEST.dbt_scd_id
    when matched
     and DBT_INTERNAL_DEST.dbt_valid_to is null
     and DBT_INTERNAL_SOURCE.dbt_change_type in ('update', 'delete')
        then update
        set dbt_valid_to = DBT_INTERNAL_SOURCE.dbt_valid_to
    when not matched
     and DBT_INTERNAL_SOURCE.dbt_change_type = 'insert'
        then insert *
    ;""",
    "drop view if exists shop.orders_snapshot__dbt_tmp",
)

TESTS = {
    "unique": """select count(*) as failures, count(*) != 0 as should_warn, count(*) != 0 as should_error
    from (
      select order_id as unique_field, count(*) as n_records from shop.orders
      where order_id is not null group by order_id having count(*) > 1
    ) dbt_internal_test""",
    "accepted values": """select count(*) as failures, count(*) != 0 as should_warn, count(*) != 0 as should_error
    from (
      with all_values as (select customer as value_field, count(*) as n_records from shop.orders group by customer)
      select * from all_values where value_field not in ('ann','bob','cy')
    ) dbt_internal_test""",
    "relationships": """select count(*) as failures, count(*) != 0 as should_warn, count(*) != 0 as should_error
    from (
      with child as (select customer as from_field from shop.orders where customer is not null),
      parent as (select customer as to_field from shop.orders_by_customer)
      select from_field from child left join parent on child.from_field = parent.to_field
      where parent.to_field is null
    ) dbt_internal_test""",
}

DOCS = ("show table extended in shop like '*'", "describe extended shop.orders", "describe extended shop.big_orders")


@pytest.fixture
def talk(lake: Lake) -> Conversation:
    session = {"catalog": lake.catalog, "branch": "main", "transaction": None, "bypass_reason": ""}
    return Conversation(session, lambda said: statement_run(said, user=None, scopes=None, context=Context()))


def send(talk: Conversation, *texts: str) -> list[dict[str, Any]]:
    """What each answers, as dbt sends one by one; a comment with the model's name stands before each."""
    bodies: list[dict[str, Any]] = []
    for text in texts:
        talk.say(f'/* {{"app": "dbt", "node_id": "model.shop"}} */\n{text}', bodies.append)
    return bodies


def seed_rows(talk: Conversation, *values: Any) -> None:
    body = {**talk.session, "statement": SEED_ROWS, "parameters": list(values)}
    statement_run(body, user=None, scopes=None, context=Context())


def test_a_project_runs_twice(lake: Lake, talk: Conversation) -> None:
    send(talk, *LIST)
    send(talk, *SEED)
    seed_rows(talk, 1, "ann", 12.5, "2026-01-01 10:00:00", 2, "bob", 7.25, "2026-01-02 11:00:00")
    send(talk, *TABLE)
    send(talk, *VIEW)
    send(talk, "create or replace table shop.orders_by_customer using delta as select customer, max(placed) as newest"
         " from shop.orders group by customer")  # fmt: skip
    send(
        talk,
        "create table shop.daily partitioned by (day) as"
        " select sum(amount) as amount, day from shop.orders group by day",
    )
    send(talk, "create table shop.log as select order_id, current_timestamp() as seen from shop.orders where false")
    send(talk, SNAPSHOT_BUILD)
    # The second run: order 2 changed, order 3 is new.
    send(talk, *SEED)
    seed_rows(talk, 1, "ann", 12.5, "2026-01-01 10:00:00", 2, "bob", 20.0, "2026-01-03 09:00:00")
    seed_rows(talk, 3, "cy", 1.0, "2026-01-02 18:00:00", 4, "ann", 2.0, "2026-01-02 19:00:00")
    send(talk, *TABLE[:2])
    send(talk, *MERGE)
    send(talk, *OVERWRITE)
    send(talk, *APPEND)
    send(talk, *SNAPSHOT)
    assert lake.rows("shop.orders_by_customer", columns="customer, orders") == [("ann", 1), ("bob", 1), ("cy", 1)]
    daily = [("12.50", "2026-01-01"), ("20.00", "2026-01-03"), ("3.00", "2026-01-02")]
    shown = "CAST(amount AS STRING), CAST(day AS STRING)"
    assert lake.rows("shop.daily", columns=shown) == daily
    assert len(lake.rows("shop.log")) == 4
    closed = lake.rows("shop.orders_snapshot", columns="order_id, CAST(amount AS STRING), dbt_valid_to IS NULL")
    assert closed == [(1, "12.50", True), (2, "20.00", True), (2, "7.25", False), (3, "1.00", True), (4, "2.00", True)]
    for text in TESTS.values():
        assert send(talk, text)[0]["rows"] == [[0, False, False]]
    send(talk, *DELETE_INSERT)
    assert ("99.00", "2026-01-02") in lake.rows("shop.daily", columns=shown)
    docs = send(talk, *DOCS)
    assert {row[1] for row in docs[0]["rows"]} >= {"orders", "big_orders", "daily"}
    assert [row[4] for row in docs[2]["rows"][:2]] == ["the key", ""]
    assert "orders as the till has them" in lake.sql("SHOW CREATE TABLE shop.raw_orders").rows[0][0]


def test_a_contract_is_kept(lake: Lake, talk: Conversation) -> None:
    send(talk, *LIST, *SEED)
    seed_rows(talk, 1, "ann", 12.5, "2026-01-01 10:00:00", 2, "bob", 7.25, "2026-01-02 11:00:00")
    send(talk, *TABLE)
    with pytest.raises(CheckViolated):
        send(talk, "insert into shop.orders values (5, 'cy', -1, date'2026-01-01', timestamp'2026-01-01 00:00:00')")
    # A full refresh of another materialisation: the view goes, the table comes under its name, and is renamed.
    send(talk, *VIEW, "drop view if exists shop.big_orders")
    send(talk, "create table shop.big_orders__new as select * from shop.orders where amount > 10")
    send(talk, "alter table shop.big_orders__new rename to shop.big_orders", "create view shop.x as select 1 as a")
    send(talk, "alter view shop.x rename to shop.y", "drop schema if exists shop cascade")
    assert "shop" not in [row[0] for row in lake.sql("SHOW DATABASES").rows]
