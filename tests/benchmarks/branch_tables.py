"""The tables of CH-benCHmark with the numbers of rows that TPC-C asks for, as statements that make them on the server.

They have the columns that the shapes of work read and write, and fillers of the size of the others.
"""

from __future__ import annotations

DATABASE = "ch"
DISTRICTS = 10
CUSTOMERS = 3_000
"""Of a district; it has as many orders, of ten lines each, and the last 900 are new."""
ITEMS = 100_000
"""Each warehouse has a stock of each."""
LINES = 10


def statements(warehouses: int) -> list[str]:
    """What makes the database and its tables, in an order that works."""
    made = [f"CREATE DATABASE {DATABASE}"]
    for name, columns, rows in _tables(warehouses):
        made.append(f"CREATE TABLE {DATABASE}.{name} AS SELECT {', '.join(columns)} FROM range(0, {rows})")
    return made


def _tables(warehouses: int) -> list[tuple[str, list[str], int]]:
    """Name, columns as expressions over the number ``id`` of the row, and number of rows."""
    districts = warehouses * DISTRICTS
    customers = districts * CUSTOMERS
    lines = customers * LINES
    return [
        ("region", [_int("id", "r_regionkey"), _text("region", "r_name")], 5),
        ("nation", [_int("id", "n_nationkey"), _text("nation", "n_name"), _int("id % 5", "n_regionkey")], 62),
        ("supplier", [_int("id", "su_suppkey"), _text("supplier", "su_name"), _int("id % 62", "su_nationkey")], 10_000),
        ("warehouse", [_int("id + 1", "w_id"), _text("warehouse", "w_name"), _money("300000", "w_ytd")], warehouses),
        ("district", [*_place("d", 1), _int(f"{CUSTOMERS} + 1", "d_next_o_id"), _money("30000", "d_ytd")], districts),
        (
            "customer",
            [
                *_place("c", CUSTOMERS),
                _int(f"id % {CUSTOMERS} + 1", "c_id"),
                _text("first", "c_first"),
                "concat('last ', id % 1000) AS c_last",
                _money("-10", "c_balance"),
                f"{_filler(300)} AS c_data",
            ],
            customers,
        ),
        (
            "history",
            [*_place("h", CUSTOMERS), _int(f"id % {CUSTOMERS} + 1", "h_c_id"), _money("10", "h_amount")],
            customers,
        ),
        (
            "orders",
            [
                *_place("o", CUSTOMERS),
                _int(f"id % {CUSTOMERS} + 1", "o_id"),
                _int(f"id * 7 % {CUSTOMERS} + 1", "o_c_id"),
                _int(f"if(id % {CUSTOMERS} < {CUSTOMERS - 900}, id % 10 + 1, NULL)", "o_carrier_id"),
                _int(f"{LINES}", "o_ol_cnt"),
                "CAST(1700000000 + id AS BIGINT) AS o_entry_d",
            ],
            customers,
        ),
        ("new_order", [*_place("no", 900), _int(f"id % 900 + {CUSTOMERS - 899}", "no_o_id")], districts * 900),
        (
            "order_line",
            [
                *_place("ol", CUSTOMERS * LINES),
                _int(f"id div {LINES} % {CUSTOMERS} + 1", "ol_o_id"),
                _int(f"id % {LINES} + 1", "ol_number"),
                _int(f"id * 7919 % {ITEMS} + 1", "ol_i_id"),
                _int(f"id div {CUSTOMERS * LINES * DISTRICTS} + 1", "ol_supply_w_id"),
                _int("5", "ol_quantity"),
                _money("id % 1000000 / 100", "ol_amount"),
                f"{_filler(24)} AS ol_dist_info",
            ],
            lines,
        ),
        ("item", [_int("id + 1", "i_id"), _text("item", "i_name"), _money("id % 100 + 1", "i_price")], ITEMS),
        (
            "stock",
            [
                _int(f"id div {ITEMS} + 1", "s_w_id"),
                _int(f"id % {ITEMS} + 1", "s_i_id"),
                _int("id * 31 % 91 + 10", "s_quantity"),
                _int("0", "s_ytd"),
                f"{_filler(240)} AS s_data",
            ],
            warehouses * ITEMS,
        ),
    ]


def _int(expression: str, name: str) -> str:
    return f"CAST({expression} AS INT) AS {name}"


def _money(expression: str, name: str) -> str:
    return f"CAST({expression} AS DECIMAL(12, 2)) AS {name}"


def _text(word: str, name: str) -> str:
    return f"concat('{word} ', id) AS {name}"


def _place(prefix: str, each: int) -> list[str]:
    """Warehouse and district of a row, of which each district has ``each``."""
    return [
        _int(f"id div {each * DISTRICTS} + 1", f"{prefix}_w_id"),
        _int(f"id div {each} % {DISTRICTS} + 1", f"{prefix}_d_id"),
    ]


def _filler(characters: int) -> str:
    """A text that no two rows share."""
    return f"rpad(sha2(CAST(id AS STRING), 256), {characters}, 'x')"
