import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import { createMemoryRouter, RouterProvider, type InitialEntry } from "react-router";

import { routesFor } from "../app";

interface Freshness {
  /** Milliseconds for which answers stay good. */
  staleTime?: number;
}

/** The whole application at an address, with nothing remembered; answers are asked for anew wherever they are looked at,
 * unless they stay good for `staleTime`. */
export function renderAt(address: InitialEntry, freshness: Freshness = {}) {
  localStorage.clear();
  return rendered(address, freshness).router;
}

/** The same, with what the browser remembers. */
export function rendered(address: InitialEntry, { staleTime = 0 }: Freshness = {}) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime }, mutations: { retry: false } } });
  const router = createMemoryRouter(routesFor(queries), { initialEntries: [address] });
  const { unmount } = render(
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return { router, unmount };
}
