import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Django serves what is built here as static files under `app/`, and reads the manifest to find the entry. */
export default defineConfig({
  base: "/static/app/",
  plugins: [react()],
  // The package names its build with warnings for every bundler; the other one lies beside it, and is smaller.
  resolve: { alias: process.env.VITEST ? {} : { "react-router": fileURLToPath(new URL("../production/index.mjs", import.meta.resolve("react-router"))) } },
  css: { modules: { localsConvention: "camelCaseOnly" } },
  build: {
    // collectstatic leaves out names that begin with a dot, where Vite would put it otherwise.
    manifest: "manifest.json",
    rollupOptions: { input: "src/main.tsx" },
    target: "es2022",
    modulePreload: { polyfill: false },
  },
  test: {
    restoreMocks: true,
    // Each file still has modules and a document of its own; packages stay loaded, in one process.
    isolate: false,
    projects: [
      { extends: true, test: { name: "model", environment: "node", include: ["src/model/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "pages",
          environment: "jsdom",
          testTimeout: 20_000,
          include: ["src/{api,features,queries,ui}/**/*.test.{ts,tsx}"],
          setupFiles: ["src/testing/setup.ts"],
        },
      },
    ],
  },
});
