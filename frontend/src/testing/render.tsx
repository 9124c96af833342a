import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import { createMemoryRouter, RouterProvider, type InitialEntry } from "react-router";

import { routesFor } from "../app";

/** The whole application at an address, with nothing remembered; answers are asked for anew wherever they are looked at,
 * unless they stay good for `staleTime` (milliseconds). */
export function renderAt(address: InitialEntry, { staleTime = 0 } = {}) {
  localStorage.clear();
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime }, mutations: { retry: false } } });
  const router = createMemoryRouter(routesFor(queries), { initialEntries: [address] });
  render(
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return router;
}
