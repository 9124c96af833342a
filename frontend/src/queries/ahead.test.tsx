import { QueryClient } from "@tanstack/react-query";
import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";

import { renderAt } from "../testing/render";
import { request } from "../testing/review";
import { comparedObject, COMPARED, COMPARISON, MAIN, page, serve, type Asked } from "../testing/server";
import { branchAhead, comparisonAhead, requestAhead } from "./ahead";

const CATALOG = "/api/v1/catalogs/demo/";
const BRANCH = `${CATALOG}branches/main/`;
const COMPARE = `${CATALOG}compare/delays...main/`;
const REQUEST = `${CATALOG}merge-requests/3/`;

const paths = (asked: readonly Asked[]) => asked.map(({ address }) => address.split("?")[0]);
const at = (params: Record<string, string>, query = "") => ({ params: { catalog: "demo", ...params }, query: new URLSearchParams(query) });
const database = (name: string, database_id: number) => ({ database_id, name, comment: "" });

describe("what a page needs", () => {
  it("is asked for without its code: a branch, and the tables of its only database", async () => {
    const asked = serve({ [BRANCH]: MAIN, [`${BRANCH}databases/`]: page([database("flights", 1)]), [`${BRANCH}databases/flights/tables/`]: page([]) });
    await branchAhead(new QueryClient(), at({ branch: "main" }));
    expect(paths(asked)).toEqual([BRANCH, `${BRANCH}databases/`, `${BRANCH}databases/flights/tables/`]);
  });

  it("is no table where the page opens none at first", async () => {
    const asked = serve({ [BRANCH]: MAIN, [`${BRANCH}databases/`]: page([database("flights", 1), database("ships", 2)]) });
    await branchAhead(new QueryClient(), at({ branch: "main" }));
    expect(paths(asked)).toEqual([BRANCH, `${BRANCH}databases/`]);
  });

  it("is of a comparison what its address filters, the object that it names, and the rules", async () => {
    const asked = serve({ [COMPARE]: COMPARISON, "/api/v1/rules/": {}, [`${COMPARE}objects/table/7/`]: comparedObject(1), [CATALOG]: { name: "demo", role: "owner" } });
    await comparisonAhead(new QueryClient(), at({ pair: "delays...main" }, "verdict=note&object=table:7"));
    expect(paths(asked)).toEqual([COMPARE, CATALOG, "/api/v1/rules/", `${COMPARE}objects/table/7/`]);
    expect(asked[0]?.address).toContain("verdict=note");
  });

  it("is of a comparison whose address names no object the first one, then what its decisions do", async () => {
    const first = `${COMPARE}objects/table/${COMPARED[0]?.object_id ?? 0}/`;
    const rowsMeet = { ...comparedObject(0), cells: comparedObject(0).cells.map((cell) => ({ ...cell, code: "SAME_FILE_UPDATE_UPDATE" })) };
    for (const [role, object, more] of [
      ["contributor", comparedObject(0), [`${first}decisions/`]],
      ["contributor", rowsMeet, [`${first}rows/sides/`, `${first}decisions/`]],
      ["reader", rowsMeet, [`${first}rows/sides/`]],
    ] as const) {
      const asked = serve({
        [COMPARE]: COMPARISON,
        "/api/v1/rules/": {},
        [CATALOG]: { name: "demo", role },
        [first]: object,
        [`${first}rows/sides/`]: page([]),
        [`${first}decisions/`]: { results: [] },
      });
      await comparisonAhead(new QueryClient(), at({ pair: "delays...main" }));
      expect(paths(asked)).toEqual([COMPARE, CATALOG, "/api/v1/rules/", first, ...more]);
    }
  });

  it("is of a merge request also the comparison, as soon as its branches are known", async () => {
    const asked = serve({ [REQUEST]: request(), [COMPARE]: COMPARISON });
    await requestAhead(new QueryClient(), at({ number: "3" }));
    expect(paths(asked).slice(0, 1)).toEqual([REQUEST]);
    expect(asked.some(({ address }) => address.startsWith(COMPARE) && address.includes("merge_request=3"))).toBe(true);
  });

  it("is no comparison where the request is finished", async () => {
    const asked = serve({ [REQUEST]: request({ state: "merged" }) });
    await requestAhead(new QueryClient(), at({ number: "3" }, "tab=compare"));
    expect(paths(asked)).not.toContain(COMPARE);
  });
});

it("is asked for once: the page joins what was begun before it", async () => {
  const first = COMPARED[0]?.object_id ?? 0;
  const asked = serve({ [COMPARE]: COMPARISON, [`${COMPARE}objects/table/${first}/`]: comparedObject(0) });
  renderAt("/c/demo/compare/delays...main", { staleTime: 60_000 });
  await screen.findByRole("list", { name: "Why it conflicts" });
  expect(paths(asked).filter((path) => path === COMPARE)).toEqual([COMPARE]);
  expect(paths(asked).indexOf(COMPARE)).toBeLessThan(paths(asked).indexOf("/api/v1/catalogs/"));
});
