"""The sample shop: what its branches bring, and the one row in conflict."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from lakeui.demo import shop
from lakeui.frontdoor import Session, execute


def sql(text: str) -> Any:
    return execute(text, Session(shop.CATALOG))


def test_the_shop_has_one_row_in_conflict(services: None) -> None:
    out = StringIO()
    call_command("demo", "shop", stdout=out)
    assert out.getvalue().endswith("The demo lake is ready: catalog demo_shop.\n")
    assert sql("MERGE BRANCH prices DRY RUN").extra["conflicts"] == []
    (conflict,) = sql("MERGE BRANCH support DRY RUN").extra["conflicts"]
    assert (conflict["object"], conflict["code"]) == ("shop.orders", "PRIMARY_KEY_CLASH")
    assert conflict["details"]["keys"] == ['{"order_id":1003}']
    sql("MERGE BRANCH prices")
    sql("MERGE BRANCH support RESOLVE (TABLE shop.orders ROWS TAKE SOURCE)")
    assert sql("SELECT status FROM shop.orders WHERE order_id = 1003").rows == [["returned"]]
    # Each side changed another cell of one customer.
    assert sql("SELECT tier, email FROM shop.customers WHERE customer_id = 2").rows == [
        ["gold", "ben.okoro@example.com"]
    ]
    call_command("demo", "shop", stdout=out)
    assert sql("MERGE BRANCH support DRY RUN").extra["conflicts"]


def test_an_unknown_sample_is_refused() -> None:
    with pytest.raises(CommandError, match="invalid choice: 'shops'"):
        call_command("demo", "shops")
