import { useQuery } from "@tanstack/react-query";

import { body, client } from "../api/client";
import { searchText } from "../model/search-text";
import { viewDescribe } from "../model/sql";
import { keptWithin } from "./kept";
import { statementRun } from "./statements";

/** Where a view is. */
export interface ViewPlace {
  catalog: string;
  branch: string;
  database: string;
  view: string;
}

const PAGE = 200;
const AT = "/api/v1/catalogs/{catalog}/branches/{branch}/databases/{database}/views/";

export function useViews(catalog: string, branch: string, database: string, search = "") {
  const all = ["catalog", catalog, "branch", branch, "views", database];
  return useQuery({
    queryKey: [...all, search],
    placeholderData: keptWithin(all),
    queryFn: ({ signal }) => {
      const query = { limit: PAGE, ...(search ? { search: searchText(search) } : {}) };
      return body(client.GET(AT, { params: { path: { catalog, branch, database }, query }, signal }));
    },
  });
}

export function useView(place: ViewPlace) {
  return useQuery({
    queryKey: viewKey(place),
    queryFn: ({ signal }) => body(client.GET(`${AT}{view}/`, { params: { path: { ...place } }, signal })),
  });
}

/** The columns with their types, which the engine finds out. */
export function useViewColumns(place: ViewPlace) {
  return useQuery({
    queryKey: [...viewKey(place), "columns"],
    queryFn: () => statementRun({ catalog: place.catalog, branch: place.branch, statement: viewDescribe(place.database, place.view) }),
    retry: false,
  });
}

/** What everything known of a view begins with. */
export function viewKey({ catalog, branch, database, view }: ViewPlace) {
  return ["catalog", catalog, "branch", branch, "view", database, view] as const;
}
