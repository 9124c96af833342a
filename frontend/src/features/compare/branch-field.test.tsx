import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { DELAYS, json, page, serve, type Asked } from "../../testing/server";

const BRANCHES = "/api/v1/catalogs/demo/branches/";

it("keeps main as the target where the newest branches fill the list", async () => {
  // One page of hundreds: main, which no one touched lately, is not on it.
  const asked = serve({
    [BRANCHES]: ({ address }: Asked) => json(address.includes("search=") ? page([{ ...DELAYS, branch_id: 9, name: "winter" }]) : page([DELAYS], `http://test${BRANCHES}?cursor=x`)),
  });
  const user = userEvent.setup();
  const router = renderAt("/c/demo/compare");
  const into = await screen.findByRole<HTMLInputElement>("combobox", { name: "into" });
  expect(into.value).toBe("main");
  const source = screen.getByRole<HTMLInputElement>("combobox", { name: "Merge" });
  expect(source.value).toBe("delays");
  await user.click(source);
  await user.keyboard("winter");
  await waitFor(() => expect(asked.some(({ address }) => address.includes("search=winter"))).toBe(true));
  await user.click(screen.getByRole("button", { name: "Compare" }));
  await waitFor(() => expect(router.state.location.pathname).toBe("/c/demo/compare/winter...main"));
});

it("lists all branches where they are few, the chosen one among them", async () => {
  serve({ [BRANCHES]: page([DELAYS]) });
  renderAt("/c/demo/compare");
  const into = await screen.findByRole<HTMLSelectElement>("combobox", { name: "into" });
  expect(into.value).toBe("main");
  expect([...into.options].map((option) => option.text)).toEqual(["main", "delays"]);
});

it("asks for another branch where an address names one twice", async () => {
  const asked = serve({ [BRANCHES]: page([DELAYS]) });
  const user = userEvent.setup();
  const router = renderAt("/c/demo/compare/main...main");
  await screen.findByText("Both are main: a branch has nothing to bring to itself. Choose another one for either.");
  expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
  const compare = screen.getByRole<HTMLButtonElement>("button", { name: "Compare" });
  expect(compare.disabled).toBe(true);
  expect(asked.some(({ address }) => address.includes("main...main"))).toBe(false);
  await user.selectOptions(screen.getByLabelText("Merge"), "delays");
  expect(screen.queryByText(/^Both are/)).toBeNull();
  await user.click(compare);
  await waitFor(() => expect(router.state.location.pathname).toBe("/c/demo/compare/delays...main"));
});

it("finds a branch for the filter of pipelines beyond the first page, and all of them again", async () => {
  const asked = serve({
    [BRANCHES]: ({ address }: Asked) => json(address.includes("search=") ? page([{ ...DELAYS, branch_id: 9, name: "winter" }]) : page([DELAYS], `http://test${BRANCHES}?cursor=x`)),
    "/api/v1/pipelines/": page([]),
    "/api/v1/catalogs/demo/pipeline-policy/": { strict: false },
  });
  const user = userEvent.setup();
  const router = renderAt("/c/demo/pipelines");
  await user.type(await screen.findByPlaceholderText("All branches"), "winter");
  await waitFor(() => expect(asked.some(({ address }) => address.includes("search=winter"))).toBe(true));
  await user.tab();
  await waitFor(() => expect(router.state.location.search).toBe("?branch=winter"));
  await user.clear(await screen.findByDisplayValue("winter"));
  await user.tab();
  await waitFor(() => expect(router.state.location.search).toBe(""));
});
