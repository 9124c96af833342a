import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** They look at the lake as it was loaded, beside each other. */
const LOOKING = ["accessibility", "accessibility-work", "states", "layout-shift"];
/** One after the other: first what changes main and `delays`, then what makes branches of its own. */
const CHANGING = ["pipelines", "pipeline-runs", "review", "webhooks", "journey", "branches", "changing", "versions", "console", "tasks", "suggestions", "keyboard", "first-hour", "clicks", "bundle"];

class ByOrder extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((left, right) => place(left) - place(right)));
  }
}

/** One that is not named comes first: then it shows that it has no place yet. */
function place({ moduleId }: TestSpecification): number {
  return [...LOOKING, ...CHANGING].findIndex((name) => moduleId.endsWith(`/${name}.e2e.ts`));
}

const files = (names: string[]) => names.map((name) => `e2e/${name}.e2e.ts`);

/** Journeys in a real browser against a running server; LAKEUI_URL says where it is. */
export default defineConfig({
  test: {
    globalSetup: "e2e/server.ts",
    setupFiles: "e2e/every-journey.ts",
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // A look at a page waits for the state: what a click began takes its time, on a small machine more.
    expect: { poll: { timeout: 60_000, interval: 100 } },
    sequence: { sequencer: ByOrder },
    projects: [
      { extends: true, test: { name: "looking", include: files(LOOKING), maxWorkers: 3, sequence: { groupOrder: 1 } } },
      {
        extends: true,
        test: { name: "changing", include: ["e2e/**/*.e2e.ts"], exclude: files(LOOKING), maxWorkers: 1, isolate: false, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
