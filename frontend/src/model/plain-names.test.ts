import { describe, expect, it } from "vitest";

import type { ImportColumn } from "../api/resources";
import { plainNames } from "./plain-names";

const named = (...names: string[]) => plainNames(names.map((name, place) => ({ source: `s${String(place)}`, name }) as ImportColumn));
const after = (...names: string[]) => named(...names).map(({ name }) => name);

describe("plain names", () => {
  it("are letters, digits and underscores", () => {
    expect(after("Order Id", "Prix (€)", "Größe", "2025", "🛫", "a.b")).toEqual(["order_id", "prix", "grosse", "_2025", "column_5", "a_b"]);
  });

  it("leave a name as it is that needs no backticks", () => {
    expect(named("OrderId", "n_1", "_x")).toEqual([]);
  });

  it("say which column each is of, and never name two alike", () => {
    expect(named("order id", "Order-Id", "ORDER_ID")).toEqual([
      { source: "s0", before: "order id", name: "order_id_2" },
      { source: "s1", before: "Order-Id", name: "order_id_3" },
    ]);
  });

  it("keep letters that have no Latin base", () => {
    expect(after("المبلغ الكلي")).toEqual(["المبلغ_الكلي"]);
  });
});
