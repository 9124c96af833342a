import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "react-router";

import { Problem } from "./api/problem";
import { makeRouter } from "./app";
import { followSystemTheme } from "./features/frame/theme";
import { followSignOut } from "./model/own-storage";
import { userName } from "./queries/user";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/surfaces.css";
import "./styles/frame.css";
import "./styles/forced-colors.css";

const TRIES = 2;

/** Only what another try may mend: no answer at all, or a server that is overloaded or away. */
function isWorthAnotherTry(failures: number, error: Error): boolean {
  const passing = !(error instanceof Problem) || [502, 503, 504].includes(error.status);
  return passing && failures < TRIES;
}

const queries = new QueryClient({
  defaultOptions: { queries: { staleTime: 5000, retry: isWorthAnotherTry }, mutations: { retry: false } },
});

followSystemTheme();
followSignOut(userName());

const root = document.getElementById("root");
if (!root) throw new Error("The page has no element #root.");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={makeRouter(queries)} />
    </QueryClientProvider>
  </StrictMode>,
);
