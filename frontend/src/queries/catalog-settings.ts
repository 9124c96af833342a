import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { body, client } from "../api/client";
import type { CatalogSettings } from "../api/resources";
import { unlessChanged } from "./edits";
import { refresh } from "./refresh";

const AT = "/api/v1/catalogs/{catalog}/settings/";

export function useCatalogSettings(catalog: string) {
  return useQuery({
    queryKey: ["catalog", catalog, "settings"],
    queryFn: ({ signal }) => body(client.GET(AT, { params: { path: { catalog } }, signal })),
  });
}

/** `shown`: the settings as they were when the page showed them. */
export function useSettingsChange(catalog: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ save, shown }: { save: Partial<CatalogSettings>; shown: CatalogSettings }): Promise<void> => {
      const path = { catalog };
      const header = await unlessChanged(shown, save, client.GET(AT, { params: { path } }));
      await client.PATCH(AT, { params: { path, header }, body: save });
    },
    onSettled: () => refresh(queries, ["catalog", catalog]),
  });
}
