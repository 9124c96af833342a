import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import { createMemoryRouter, RouterProvider, type InitialEntry } from "react-router";

import { ROUTES } from "../app";

/** The whole application at an address, with nothing remembered. */
export function renderAt(address: InitialEntry) {
  localStorage.clear();
  const router = createMemoryRouter(ROUTES, { initialEntries: [address] });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false }, mutations: { retry: false } } });
  render(
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return router;
}
