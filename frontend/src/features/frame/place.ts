import { useEffect } from "react";
import { useLocation } from "react-router";

import { placeOf, type AddressPlace } from "../../model/addresses";
import { useCatalogs } from "../../queries/catalogs";

const LAST_CATALOG = "lakeui.catalog";

/** What the page is about; without a catalog in the address, the one that was looked at last. */
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
  const catalog = last !== null && names.includes(last) ? last : names[0];
  return { ...(catalog === undefined ? {} : { catalog }), isOfAddress: false };
}
