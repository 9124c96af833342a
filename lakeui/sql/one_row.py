"""Expressions that see one row, as those of MERGE, UPDATE and DELETE do: nothing that needs, makes or names more."""

from __future__ import annotations

from sqlglot import exp

from lakeui.common.errors import NotSupported
from lakeui.sql.growth import words

_AGGREGATES = words(
    """any any_value approx_count_distinct approx_percentile array_agg avg bit_and bit_or bit_xor bool_and bool_or
    collect_list collect_set corr count count_if count_min_sketch covar_pop covar_samp every first first_value grouping
    grouping_id histogram_numeric kurtosis last last_value listagg max max_by mean median min min_by mode percentile
    percentile_approx percentile_cont percentile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope
    regr_sxx regr_sxy regr_syy skewness some std stddev stddev_pop stddev_samp string_agg sum try_avg try_sum var_pop
    var_samp variance"""
)
_GENERATORS = words(
    """explode explode_outer inline inline_outer json_tuple posexplode posexplode_outer stack variant_explode
    variant_explode_outer"""
)


def refuse_many_rows(tree: exp.Expr) -> None:
    """Raise NotSupported for windows, aggregates, functions that give several rows, and ``*``; not inside queries."""
    for node in tree.walk(prune=lambda node: isinstance(node, exp.Select | exp.SetOperation)):
        if isinstance(node, exp.Select | exp.SetOperation):
            continue
        what, remedy = _more_than_one(node)
        if what:
            raise NotSupported(f"{what} cannot be used here: the expression sees one row.", remedy=remedy)


def _more_than_one(node: exp.Expr) -> tuple[str, str]:
    """What of the node is more than one row, with the way out; empty where nothing is."""
    elsewhere = "Compute it in a query: MERGE INTO takes one as its source."
    if isinstance(node, exp.Window):
        return "A window", elsewhere
    if isinstance(node, exp.Star):
        return "*", "Name the columns."
    name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    if name in _AGGREGATES:
        return f"The aggregate {node.name}", elsewhere
    if name in _GENERATORS:
        return f"{node.name}, which gives several rows,", elsewhere
    return "", ""
