import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLocation } from "react-router";

import { placeOf, type AddressPlace } from "../../model/addresses";
import { branchQuery, useCatalogs } from "../../queries/catalogs";

const LAST_CATALOG = "lakeui.catalog";
const LAST_BRANCH = "lakeui.branch.";
const MAIN = "main";

/** What the page is about; without a catalog in the address, the one that was looked at last, or the only one. */
export function usePlace(): AddressPlace & { isOfAddress: boolean } {
  const { pathname, search } = useLocation();
  const catalogs = useCatalogs();
  const place = placeOf(pathname, search);
  useEffect(() => {
    if (place.catalog !== undefined) localStorage.setItem(LAST_CATALOG, place.catalog);
  }, [place.catalog]);
  if (place.catalog !== undefined) return { ...place, isOfAddress: true };
  const names = catalogs.data?.results.map((catalog) => catalog.name) ?? [];
  const last = localStorage.getItem(LAST_CATALOG);
  const only = names.length === 1 ? names[0] : undefined;
  const catalog = last !== null && names.includes(last) ? last : only;
  return { ...(catalog === undefined ? {} : { catalog }), isOfAddress: false };
}

/** The branch that the links of a catalog lead to: that of the address, else the one of it that was looked at last. */
export function useBranchOfLinks({ catalog, branch }: AddressPlace): string {
  const key = LAST_BRANCH + (catalog ?? "");
  useEffect(() => {
    if (catalog !== undefined && branch !== undefined) localStorage.setItem(key, branch);
  }, [catalog, branch, key]);
  const last = localStorage.getItem(key) ?? MAIN;
  const there = useQuery({
    ...branchQuery(catalog ?? "", last),
    enabled: catalog !== undefined && branch === undefined && last !== MAIN,
    retry: false,
  });
  const isGone = there.error !== null || there.data?.is_dropped === true;
  return branch ?? (isGone ? MAIN : last);
}
