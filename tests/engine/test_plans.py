"""Spark's plan as people see it: no path, no column of the engine, no number."""

from __future__ import annotations

from catalog_app.engine.plans import NOT_SHOWN, plan_shown

PLAN = """== Physical Plan ==
AdaptiveSparkPlan (9)
+- TakeOrderedAndProject (8)
   +- HashAggregate (7)
      +- Exchange (6)
         +- Project (5)
            +- BroadcastHashJoin Inner BuildRight (4)
               :- Project (3)
               :  +- Filter (2)
               :     +- Scan parquet  (1)
               +- ReusedExchange (10)


(1) Scan parquet
Output [2]: [__c1#23859, __c2#23860]
Batched: true
Location: InMemoryFileIndex [file:/srv/lake/warehouse/1/data/base=0/a.parquet, ... 1 entries]
PushedFilters: [IsNotNull(__c2), GreaterThan(__c2,3)]
ReadSchema: struct<__c1:int,__c2:int>

(2) Filter
Input [2]: [__c1#23859, __c2#23860]
Condition : (isnotnull(__c2#23860) AND (__c2#23860 > 3))

(3) Project
Output [2]: [__c1#23859 AS id#23867, __c2#23860 AS the, value#23868]
Input [2]: [__c1#23859, __c2#23860]

(4) BroadcastHashJoin
Left keys [1]: [id#23867]
Right keys [1]: [w z#23877]
Join type: Inner
Join condition: None

(6) Exchange
Input [1]: [id#23867]
Arguments: hashpartitioning(id#23867, 16), ENSURE_REQUIREMENTS, [plan_id=26856]

(7) HashAggregate
Input [1]: [id#23867]
Keys [1]: [id#23867]
Functions [1]: [sum(the, value#23868L)]
Aggregate Attributes [1]: [sum(v#23868)#23895L]
Results [1]: [id#23867]

(8) TakeOrderedAndProject
Input [1]: [id#23867]
Arguments: 5, [id#23867 DESC NULLS LAST], [id#23867]

(9) AdaptiveSparkPlan
Output [1]: [id#23867]
Arguments: isFinalPlan=false

===== Subqueries =====

Subquery:1 Hosting operator id = 2 Hosting Expression = Subquery subquery#5, [id=#12]
AdaptiveSparkPlan (12)
+- Filter (11)

(11) Filter
Input [1]: [_metadata#1]
Condition : NOT ((cast(base#7 as bigint) + _metadata#1.row_index) = 4)
"""


def test_operators_show_what_they_do_with_readable_names() -> None:
    assert plan_shown(PLAN) == [
        "TakeOrderedAndProject: 5, [id DESC NULLS LAST], [id]",
        "  HashAggregate: keys [id]; functions [sum(the, value)]",
        "    Exchange: hashpartitioning(id, 16), ENSURE_REQUIREMENTS",
        "      Project",
        "        BroadcastHashJoin Inner BuildRight: left keys [id]; right keys [w z]",
        "          Project",
        "            Filter: (isnotnull(the, value) AND (the, value > 3))",
        "              Scan: pushed filters [IsNotNull(the, value), GreaterThan(the, value,3)]",
        "          ReusedExchange",
        "Subquery",
        f"Filter: {NOT_SHOWN}",
    ]


def test_plans_show_nothing_of_host_and_engine() -> None:
    shown = "\n".join(plan_shown(PLAN))
    for secret in ("/srv", "__c", "__lake", "_metadata", "plan_id", "#"):
        assert secret not in shown
