import { defineConfig } from "vitest/config";

/** Journeys in a real browser against a running server; LAKEUI_URL says where it is. */
export default defineConfig({
  test: {
    include: ["e2e/**/*.e2e.ts"],
    globalSetup: "e2e/server.ts",
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // The journeys share one lake and build on each other's commits.
    fileParallelism: false,
  },
});
