import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** They share one lake: first what looks at the lake as it was loaded, then what changes main and `delays`,
 * last what makes branches of its own. */
const ORDER = ["accessibility", "states", "pipelines", "pipeline-runs", "review", "webhooks", "journey", "branches", "versions", "console", "tasks", "keyboard", "bundle"];

class ByOrder extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((left, right) => place(left) - place(right)));
  }
}

/** One that is not named comes first: then it shows that it has no place yet. */
function place({ moduleId }: TestSpecification): number {
  return ORDER.findIndex((name) => moduleId.endsWith(`/${name}.e2e.ts`));
}

/** Journeys in a real browser against a running server; LAKEUI_URL says where it is. */
export default defineConfig({
  test: {
    include: ["e2e/**/*.e2e.ts"],
    globalSetup: "e2e/server.ts",
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // A look at a page waits for the state: what a click began takes its time, on a small machine more.
    expect: { poll: { timeout: 60_000, interval: 100 } },
    fileParallelism: false,
    sequence: { sequencer: ByOrder },
  },
});
