import { useQuery } from "@tanstack/react-query";

import { body, client } from "../api/client";

/** What is hidden of a table, and from whom. */
export function useRestrictions(catalog: string, tableId: number) {
  return useQuery({
    queryKey: ["catalog", catalog, "restrictions", tableId],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/catalogs/{catalog}/restrictions/", { params: { path: { catalog }, query: { table_id: tableId, limit: 100 } }, signal }),
      ),
  });
}
