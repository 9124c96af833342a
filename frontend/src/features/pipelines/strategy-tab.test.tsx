import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { configuration, FIELDS, PIPELINE } from "../../testing/pipelines";
import { renderAt } from "../../testing/render";
import { json, page, problem, serve } from "../../testing/server";

const AT = "/api/v1/pipelines/7/";
const DATABASES = "/api/v1/catalogs/demo/branches/main/databases/";
const SEEN = { name: "seen", table_id: 9, columns: ["tailnum", "time_hour"].map((name, id) => ({ id, name, type: "string", nullable: true })) };
const PLAIN = { ...PIPELINE, source: "SELECT 1", config: "# ours\n", configuration: configuration() };

function lake(pipeline: object, role = "contributor") {
  return {
    "/api/v1/catalogs/demo/": { name: "demo", role },
    "/api/v1/pipelines/fields/": FIELDS,
    [AT]: () => json(pipeline, 200, { ETag: '"t3"' }),
    [`PATCH ${AT}`]: () => json({ ...pipeline, version: 4 }, 200, { ETag: '"t4"' }),
    [DATABASES]: page([{ name: "flights", database_id: 1 }]),
    [`${DATABASES}flights/tables/`]: page([SEEN]),
    [`${DATABASES}flights/tables/seen/`]: SEEN,
  };
}

const save = () => screen.getByRole<HTMLButtonElement>("button", { name: "Save to config.yaml" });

describe("the settings of a strategy", () => {
  it("are explained by a picture each, which is also said in words", async () => {
    serve(lake(PLAIN));
    renderAt("/c/demo/pipelines/7?tab=strategy");
    expect(await screen.findAllByRole("img", { name: /^Before: .* The query finds .* Afterwards: / })).toHaveLength(6);
    expect(screen.getByRole<HTMLInputElement>("radio", { name: /^Full refresh/ }).checked).toBe(true);
  });

  it("are only those of the chosen strategy, and only what was changed is sent", async () => {
    const asked = serve(lake(PLAIN));
    const user = userEvent.setup();
    renderAt("/c/demo/pipelines/7?tab=strategy");
    expect(await screen.findByLabelText("allow_empty")).toBeTruthy();
    await user.click(screen.getByRole("radio", { name: /^Incremental/ }));
    expect(screen.queryByLabelText("allow_empty")).toBeNull();
    expect(screen.getByText(/incremental requires unique_key\. Without it a run falls back/)).toBeTruthy();
    await user.type(screen.getByRole("combobox", { name: "unique_key" }), "tailnum{Enter}");
    expect(screen.queryByText(/requires unique_key/)).toBeNull();
    await user.click(save());
    await waitFor(() => expect(asked.find(({ method }) => method === "PATCH")?.body).toEqual({ settings: { merge_strategy: "incremental", unique_key: ["tailnum"] } }));
    expect(asked.find(({ method }) => method === "PATCH")?.headers.get("If-Match")).toBe('"t3"');
  });

  it("are held to the columns of the target", async () => {
    serve(lake(PLAIN));
    const user = userEvent.setup();
    renderAt("/c/demo/pipelines/7?tab=strategy");
    await user.click(await screen.findByRole("radio", { name: /^Snapshot/ }));
    await user.type(screen.getByRole("combobox", { name: "partition_column" }), "month");
    expect(await screen.findByText("✕ flights.seen has no column month.")).toBeTruthy();
    expect(save().disabled).toBe(true);
    await user.clear(screen.getByRole("combobox", { name: "partition_column" }));
    await user.type(screen.getByRole("combobox", { name: "partition_column" }), "TAILNUM");
    expect(save().disabled).toBe(false);
  });

  it("take values of a column one after the other, which are no columns themselves", async () => {
    const asked = serve(lake(PLAIN));
    const user = userEvent.setup();
    renderAt("/c/demo/pipelines/7?tab=strategy");
    await user.click(await screen.findByRole("radio", { name: /^Snapshot/ }));
    await user.type(screen.getByRole("combobox", { name: "partition_column" }), "tailnum");
    await user.type(screen.getByRole("combobox", { name: "partitions" }), "N1{Enter}N2{Enter}");
    await user.click(save());
    const settings = { merge_strategy: "snapshot", partition_column: "tailnum", partitions: ["N1", "N2"] };
    await waitFor(() => expect(asked.find(({ method }) => method === "PATCH")?.body).toEqual({ settings }));
  });

  it("are not held to columns of a table that the first run will make", async () => {
    serve({ ...lake(PLAIN), [`${DATABASES}flights/tables/`]: page([]) });
    const user = userEvent.setup();
    renderAt("/c/demo/pipelines/7?tab=strategy");
    await user.click(await screen.findByRole("radio", { name: /^Snapshot/ }));
    await user.type(screen.getByRole("combobox", { name: "partition_column" }), "month");
    expect(save().disabled).toBe(false);
  });

  it("show what an annotation decides, and leave it alone", async () => {
    serve(lake(PIPELINE));
    renderAt("/c/demo/pipelines/7?tab=strategy");
    expect(await screen.findByText("◆ Line 1 of the source says so: an annotation wins over config.yaml.")).toBeTruthy();
    expect(screen.queryByRole("combobox", { name: "unique_key" })).toBeNull();
    expect(screen.getByText("Nothing is changed.")).toBeTruthy();
  });

  it.each([
    ["take out what another strategy does not use", false, { merge_strategy: "append_only", watermark_column: null }],
    ["leave it where a person keeps it", true, { merge_strategy: "append_only" }],
  ])("%s", async (_, isKept, settings) => {
    const asked = serve(lake(PIPELINE));
    const user = userEvent.setup();
    renderAt("/c/demo/pipelines/7?tab=strategy");
    await user.click(await screen.findByRole("radio", { name: /^Append only/ }));
    const removes = screen.getByLabelText<HTMLInputElement>(/Remove from config.yaml what is not used by append_only: watermark_column/);
    expect(removes.checked).toBe(true);
    if (isKept) await user.click(removes);
    expect(screen.getByText(/merge_strategy: append_only/)).toBeTruthy();
    await user.click(save());
    await waitFor(() => expect(asked.find(({ method }) => method === "PATCH")?.body).toEqual({ settings }));
  });

  it("say what the server does not take", async () => {
    const errors = [{ file: "config.yaml", line: 1, column: null, field: "unique_key", message: "incremental requires unique_key.", remedy: "Name it." }];
    serve({ ...lake(PLAIN), [`PATCH ${AT}`]: () => problem(422, { code: "INVALID_CONFIG", title: "Invalid configuration", detail: "One.", errors }) });
    const user = userEvent.setup();
    renderAt("/c/demo/pipelines/7?tab=strategy");
    await user.click(await screen.findByRole("radio", { name: /^Incremental/ }));
    await user.click(save());
    expect((await screen.findByRole("alert")).textContent).toContain("incremental requires unique_key.");
  });

  it("can only be read by who may not edit", async () => {
    serve(lake(PLAIN, "viewer"));
    renderAt("/c/demo/pipelines/7?tab=strategy");
    expect((await screen.findByRole<HTMLInputElement>("radio", { name: /^Snapshot/ })).disabled).toBe(true);
    expect(screen.queryByRole("button", { name: "Save to config.yaml" })).toBeNull();
  });
});
