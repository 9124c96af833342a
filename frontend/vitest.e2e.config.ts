import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The journeys share one lake and build on each other's commits: first those that only look. */
class ByName extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((left, right) => left.moduleId.localeCompare(right.moduleId)));
  }
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
    sequence: { sequencer: ByName },
  },
});
