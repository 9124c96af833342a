import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderHook, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";

import { page, serve } from "../../testing/server";
import { useSqlNames } from "./use-sql-names";

const AT = "/api/v1/catalogs/demo/branches/main/databases/";

it("stays the same value for as long as a text names the same tables", async () => {
  serve({
    [AT]: page([{ name: "d" }]),
    [`${AT}d/tables/`]: page([{ name: "t" }, { name: "u" }]),
    [`${AT}d/tables/t/`]: { columns: [{ name: "id", type: "int" }] },
    [`${AT}d/tables/u/`]: { columns: [{ name: "day", type: "date" }] },
  });
  const queries = new QueryClient();
  const { result, rerender } = renderHook(({ text }) => useSqlNames("demo", "main", text), {
    initialProps: { text: "SELECT id FROM d.t" },
    wrapper: ({ children }) => <QueryClientProvider client={queries}>{children}</QueryClientProvider>,
  });
  await waitFor(() => expect(result.current).toEqual({ d: { t: ["id"], u: [] } }));
  const before = result.current;
  rerender({ text: "SELECT id FROM d.t WHERE id > 1" });
  expect(result.current).toBe(before);
  rerender({ text: "SELECT id FROM d.t, d.u" });
  await waitFor(() => expect(result.current).toEqual({ d: { t: ["id"], u: ["day"] } }));
});
