import type { QueryClient } from "@tanstack/react-query";
import { createBrowserRouter, type LoaderFunctionArgs, type RouteObject, type ShouldRevalidateFunctionArgs } from "react-router";

import { Frame } from "./features/frame/frame";
import { NotFoundPage, PageFailure } from "./features/frame/failures";
import { HomePage } from "./features/home/home-page";
import { branchAhead, comparisonAhead, requestAhead, type Address } from "./queries/ahead";

/** Pages beyond the start page load when they are first opened. The server answers these addresses (lakeui/access/urls.py). */
export function routesFor(queries: QueryClient): RouteObject[] {
  return [
    {
      element: <Frame />,
      errorElement: <PageFailure />,
      children: [
        {
          errorElement: <PageFailure />,
          children: [
            { path: "/", element: <HomePage /> },
            {
              path: "/c/:catalog",
              lazy: async () => ({ Component: (await import("./features/catalog/catalog-page")).CatalogPage }),
            },
            {
              path: "/c/:catalog/b/:branch",
              ...ahead(queries, branchAhead),
              lazy: async () => ({ Component: (await import("./features/branch/branch-page")).BranchPage }),
            },
            {
              path: "/c/:catalog/b/:branch/t/:database/:table",
              lazy: async () => ({ Component: (await import("./features/table/table-page")).TablePage }),
            },
            {
              path: "/c/:catalog/b/:branch/v/:database/:view",
              lazy: async () => ({ Component: (await import("./features/branch/view-page")).ViewPage }),
            },
            {
              path: "/c/:catalog/compare/:pair?",
              ...ahead(queries, comparisonAhead),
              lazy: async () => ({ Component: (await import("./features/compare/compare-page")).ComparePage }),
            },
            {
              path: "/c/:catalog/requests",
              lazy: async () => ({ Component: (await import("./features/requests/requests-page")).RequestsPage }),
            },
            {
              path: "/c/:catalog/requests/new",
              lazy: async () => ({ Component: (await import("./features/requests/new-request-page")).NewRequestPage }),
            },
            {
              path: "/c/:catalog/requests/:number",
              ...ahead(queries, requestAhead),
              lazy: async () => ({ Component: (await import("./features/requests/request-page")).RequestPage }),
            },
            {
              path: "/c/:catalog/settings",
              lazy: async () => ({ Component: (await import("./features/catalog-settings/catalog-settings-page")).CatalogSettingsPage }),
            },
            {
              path: "/inbox",
              lazy: async () => ({ Component: (await import("./features/requests/inbox-page")).InboxPage }),
            },
            {
              path: "/c/:catalog/merges",
              lazy: async () => ({ Component: (await import("./features/merges/merges-page")).MergesPage }),
            },
            {
              path: "/merges/:mergeId",
              lazy: async () => ({ Component: (await import("./features/merges/merge-page")).MergePage }),
            },
            {
              path: "/c/:catalog/sql",
              lazy: async () => ({ Component: (await import("./features/sql/sql-page")).SqlPage }),
            },
            {
              path: "/c/:catalog/pipelines",
              lazy: async () => ({ Component: (await import("./features/pipelines/pipelines-page")).PipelinesPage }),
            },
            {
              path: "/c/:catalog/pipelines/new",
              lazy: async () => ({ Component: (await import("./features/pipelines/new-pipeline-page")).NewPipelinePage }),
            },
            {
              path: "/c/:catalog/pipelines/:pipelineId",
              lazy: async () => ({ Component: (await import("./features/pipelines/pipeline-page")).PipelinePage }),
            },
            {
              path: "/c/:catalog/pipelines/:pipelineId/runs/:runId",
              lazy: async () => ({ Component: (await import("./features/pipelines/run-page")).RunPage }),
            },
            {
              path: "/c/:catalog/import",
              lazy: async () => ({ Component: (await import("./features/imports/import-page")).ImportPage }),
            },
            {
              path: "/tasks",
              lazy: async () => ({ Component: (await import("./features/tasks/tasks-page")).TasksPage }),
            },
            {
              path: "/tasks/:taskId",
              lazy: async () => ({ Component: (await import("./features/tasks/task-page")).TaskPage }),
            },
            {
              path: "/settings",
              lazy: async () => ({ Component: (await import("./features/settings/settings-page")).SettingsPage }),
            },
            {
              path: "/people",
              lazy: async () => ({ Component: (await import("./features/people/people-page")).PeoplePage }),
            },
            { path: "*", element: <NotFoundPage /> },
          ],
        },
      ],
    },
  ];
}

/** Ask for the data of a page beside its code, once for each address: what a page puts into its query it asks for itself. */
function ahead(queries: QueryClient, start: (queries: QueryClient, address: Address) => Promise<void>): Pick<RouteObject, "loader" | "shouldRevalidate"> {
  return {
    loader: ({ params, request }: LoaderFunctionArgs) => {
      void start(queries, { params, query: new URL(request.url).searchParams });
      return null;
    },
    shouldRevalidate: ({ currentUrl, nextUrl }: ShouldRevalidateFunctionArgs) => currentUrl.pathname !== nextUrl.pathname,
  };
}

export function makeRouter(queries: QueryClient) {
  return createBrowserRouter(routesFor(queries));
}
