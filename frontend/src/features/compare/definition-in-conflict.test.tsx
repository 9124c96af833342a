import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import type { Finding } from "../../api/resources";
import { finding } from "../../testing/findings";
import { renderAt } from "../../testing/render";
import { comparedObject, COMPARED, COMPARISON, serve } from "../../testing/server";

const AT = "/api/v1/catalogs/demo/compare/delays...main/";
const ADDRESS = "/c/demo/compare/delays...main";
const OBJECTS = Object.fromEntries(COMPARED.map((object, place) => [`${AT}objects/table/${object.object_id}/`, comparedObject(place)]));

describe("a definition in conflict", () => {
  const column = (id: number, type: string) => ({ id, name: "currency", type, nullable: true, default: null, comment: null, key_position: null, partition_position: null });
  const about = (verdict: Finding["verdict"], code: string, details: Finding["details"]) => finding({ source_op: "column", dest_op: "column", verdict, code, details });
  const shown = (verdict: Finding["verdict"]) => {
    const currency = { id: 5, base: null, source: column(4, "string"), destination: column(5, "int"), result: column(5, "string"), is_changed: true };
    const check = { key: "write.check.cheap", base: null, source: "price < 100", destination: "price < 50", result: "price < 100", is_changed: true };
    const cells = [
      about(verdict, "COLUMN_TYPE_NARROWING", { column: "currency", column_id: 4, destination_column_id: 5 }),
      about(verdict, "CHECK_DIFFERS", { constraint: "cheap", property: "write.check.cheap" }),
    ];
    serve({ [AT]: COMPARISON, ...OBJECTS, [`${AT}objects/table/8/`]: { ...comparedObject(2), cells, columns: [currency], properties: [check] } });
    renderAt(`${ADDRESS}?object=table:8`);
  };
  const results = (region: HTMLElement) => within(region).getAllByRole("row").slice(1).map((row) => within(row).getAllByRole("cell").at(-1)?.textContent);

  it.each<[Finding["verdict"], string, string]>([
    ["conflict", "to decide", "to decide"],
    ["decided", "currency string", "price < 100"],
  ])("%s: says of each part whether its result is known, in regions of different names", async (verdict, ofColumn, ofProperty) => {
    shown(verdict);
    const columns = await screen.findByRole("region", { name: "Columns of the conflict" });
    expect(results(columns)).toEqual([ofColumn]);
    expect(results(screen.getByRole("region", { name: "Columns side by side" }))).toEqual([ofColumn]);
    await userEvent.setup().click(screen.getByRole("tab", { name: /^Properties/ }));
    expect(results(screen.getByRole("region", { name: "Properties side by side" }))).toEqual([ofProperty]);
  });
});
