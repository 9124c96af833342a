import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, it } from "vitest";

import { refresh } from "./refresh";

it("asks anew for what had no answer yet when something was written", async () => {
  const queries = new QueryClient();
  const answers: ((rows: string) => void)[] = [];
  const asked = new QueryObserver(queries, { queryKey: ["catalog", "demo", "rows"], queryFn: () => new Promise<string>((answer) => answers.push(answer)) });
  const end = asked.subscribe(() => undefined);
  const refreshed = refresh(queries, ["catalog", "demo"]);
  answers[0]?.("before the write");
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.("after the write");
  await refreshed;
  expect(asked.getCurrentResult().data).toBe("after the write");
  end();
});
