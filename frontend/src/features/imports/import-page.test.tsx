import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";

import type { FileImport, ImportColumn } from "../../api/resources";
import { Problem } from "../../api/problem";
import * as upload from "../../api/upload";
import { renderAt } from "../../testing/render";
import { json, page, problem, serve, type Asked } from "../../testing/server";

const AT = "/api/v1/catalogs/demo/branches/delays/imports/";
const TABLES = "/api/v1/catalogs/demo/branches/delays/databases/flights/tables/";
const time = "2026-01-01T00:00:00Z";

function column(source: string, more: Partial<ImportColumn> = {}): ImportColumn {
  return { source, name: source, type: "bigint", include: true, inferred_type: "bigint", misfit: null, ...more };
}

const FILE: FileImport = {
  id: "i-1", name: "Delays 2014.csv", format: "csv", bytes: 2048, rows: 2, header: true, delimiter: ",", null_text: "", skip_lines: 0, numbers: null, dates: null, encoding: "windows-1252", compression: "gzip",
  columns: [column("flight"), column("reason", { type: "string", inferred_type: "string" })],
  sample: [["1545", "late aircraft"], ["725", null]], warnings: ["The file's name says JSON; it holds CSV."], created_at: time, expires_at: time,
};
const TASK = { id: "t-1", kind: "import", state: "queued", parameters: {}, steps: [], progress: 0, message: "", created_at: time, cancel_requested: false, result: null, error: null };
const LAKE = {
  [AT]: page([]),
  [`${AT}i-1/`]: FILE,
  "/api/v1/catalogs/demo/branches/delays/databases/": page(["flights", "sales"].map((name, place) => ({ name, database_id: place, comment: "", properties: {} }))),
  [TABLES]: page([{ name: "reasons", table_id: 9, database: "flights" }]),
  [`POST ${AT}i-1/load/`]: () => json(TASK, 202),
  "/api/v1/tasks/t-1/": TASK,
};
const HERE = "/c/demo/import?branch=delays&import=i-1";

describe("how a file is read", () => {
  it("says its encoding and compression, and takes another encoding", async () => {
    const asked = serve({ ...LAKE, [`PATCH ${AT}i-1/`]: () => json({ ...FILE, encoding: "windows-1250" }) });
    const user = userEvent.setup();
    renderAt(HERE);
    expect(await screen.findByText("csv, gzip")).toBeTruthy();
    const encoding = screen.getByLabelText<HTMLSelectElement>("Encoding");
    expect(encoding.value).toBe("windows-1252");
    await user.selectOptions(encoding, "Windows-1250, Central European");
    await waitFor(() => expect(asked.find(({ method }) => method === "PATCH")?.body).toEqual({ encoding: "windows-1250" }));
    await waitFor(() => expect(encoding.value).toBe("windows-1250"));
  });

  it("skips as many lines as it is told", async () => {
    const titled = { ...FILE, skip_lines: 2 };
    const asked = serve({ ...LAKE, [`${AT}i-1/`]: titled, [`PATCH ${AT}i-1/`]: () => json({ ...titled, skip_lines: 3 }) });
    const user = userEvent.setup();
    renderAt(HERE);
    const lines = await screen.findByLabelText<HTMLInputElement>("Lines to skip");
    expect(lines.value).toBe("2");
    await user.clear(lines);
    await user.type(lines, "3{Enter}");
    await waitFor(() => expect(asked.filter(({ method }) => method === "PATCH").map(({ body }) => body)).toEqual([{ skip_lines: 3 }]));
    await waitFor(() => expect(lines.value).toBe("3"));
  });

  it("reads numbers and dates in the chosen form, and shows the effect", async () => {
    const texts = { ...FILE, columns: [column("amount", { type: "string" }), column("day", { type: "string" })], sample: [["1.234,50", "31.12.2025"]] };
    const numbers = { ...texts, numbers: "1.234,5", columns: [column("amount", { type: "double" }), texts.columns[1]], sample: [["1234.50", "31.12.2025"]] };
    const both = { ...numbers, dates: "d.m.y", columns: [numbers.columns[0], column("day", { type: "date" })], sample: [["1234.50", "2025-12-31"]] };
    const answers = [numbers, both, texts];
    const asked = serve({ ...LAKE, [`${AT}i-1/`]: texts, [`PATCH ${AT}i-1/`]: () => json(answers.shift()) });
    const user = userEvent.setup();
    renderAt(HERE);
    const rows = await screen.findByRole("region", { name: "The first rows" });
    expect(within(rows).getByText("1.234,50")).toBeTruthy();
    expect(screen.queryByText(/keep their text/)).toBeNull();
    await user.selectOptions(screen.getByLabelText("Numbers are written"), "1.234,5");
    expect(await screen.findByText("1234.50")).toBeTruthy();
    expect(screen.getByText(/keep their text/)).toBeTruthy();
    await user.selectOptions(screen.getByLabelText("Dates are written"), "31.12.2025, day first");
    expect(await screen.findByText("2025-12-31", { selector: "[role=region] *" })).toBeTruthy();
    await user.selectOptions(screen.getByLabelText("Numbers are written"), "1234.5");
    await waitFor(() => expect(asked.filter(({ method }) => method === "PATCH").map(({ body }) => body)).toEqual([{ numbers: "1.234,5" }, { dates: "d.m.y" }, { numbers: null }]));
  });

  it("asks of JSON for nothing but the encoding", async () => {
    serve({ ...LAKE, [`${AT}i-1/`]: { ...FILE, format: "json", header: null, delimiter: null, skip_lines: null } });
    renderAt(HERE);
    expect(await screen.findByLabelText("Encoding")).toBeTruthy();
    expect(screen.queryByLabelText("Separator")).toBeNull();
    expect(screen.queryByLabelText("Numbers are written")).toBeNull();
  });
});

describe("sending a file", () => {
  it("takes one that was chosen, and continues with what was found in it", async () => {
    serve(LAKE);
    const sent = vi.spyOn(upload, "fileSend").mockResolvedValue(FILE);
    const user = userEvent.setup();
    const router = renderAt("/c/demo/import?branch=delays");
    const file = new File(["flight,reason\n"], "Delays 2014.csv");
    await user.upload(await screen.findByLabelText("Choose a file"), file);
    expect(await screen.findByText("The file's name says JSON; it holds CSV.")).toBeTruthy();
    expect(sent.mock.calls[0]?.slice(0, 2)).toEqual([AT, file]);
    expect(router.state.location.search).toBe("?branch=delays&import=i-1");
    expect(within(screen.getByRole("region", { name: "The first rows" })).getByText("NULL")).toBeTruthy();
  });

  it("takes one that is dropped on the page", async () => {
    serve(LAKE);
    const sent = vi.spyOn(upload, "fileSend").mockResolvedValue(FILE);
    renderAt("/c/demo/import?branch=delays");
    const file = new File(["flight,reason\n"], "Delays 2014.csv");
    const zone = await screen.findByText("Drop a file here");
    // As in a browser, the file is over the page first. That renders, after which the page learns of its sending.
    fireEvent.dragOver(zone);
    await waitFor(() => expect(zone.closest("label")?.className).toMatch(/over/));
    fireEvent.drop(zone, { dataTransfer: { files: [file] } });
    expect(await screen.findByText("The file's name says JSON; it holds CSV.")).toBeTruthy();
    expect(sent.mock.calls[0]?.[1]).toBe(file);
  });

  it("says where a file cannot be read, and lets another be chosen", async () => {
    serve(LAKE);
    vi.spyOn(upload, "fileSend").mockRejectedValue(new Problem({ title: "Invalid value", detail: "Line 4 has 1 value; the file has 2 columns.", line: 4 }, 400));
    const user = userEvent.setup();
    renderAt("/c/demo/import?branch=delays");
    await user.upload(await screen.findByLabelText("Choose a file"), new File(["x"], "x.csv"));
    expect((await screen.findByRole("alert")).textContent).toContain("Line 4 has 1 value");
    expect(screen.getByLabelText("Choose a file")).toBeTruthy();
  });

  it("shows how much is sent, and can be given up without a complaint", async () => {
    serve(LAKE);
    vi.spyOn(upload, "fileSend").mockImplementation((_address, _file, { onProgress, signal }) => {
      onProgress(0.4);
      return new Promise((_done, fail) => {
        signal.addEventListener("abort", () => fail(new DOMException("Given up.", "AbortError")));
      });
    });
    const user = userEvent.setup();
    renderAt("/c/demo/import?branch=delays");
    await user.upload(await screen.findByLabelText("Choose a file"), new File(["x"], "x.csv"));
    expect((await screen.findByRole("progressbar", { name: "Sent" })).getAttribute("aria-valuenow")).toBe("40");
    await user.click(screen.getByRole("button", { name: "Give up" }));
    expect(await screen.findByLabelText("Choose a file")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("names the files that wait", async () => {
    serve({ ...LAKE, [AT]: page([FILE]) });
    renderAt("/c/demo/import?branch=delays");
    expect((await screen.findByRole("link", { name: "Delays 2014.csv" })).getAttribute("href")).toBe(HERE);
  });
});

describe("a new table", () => {
  const [, second] = FILE.columns;
  const difficult = { ...FILE, columns: [column("Flight No."), second] };
  const plainly = { ...FILE, columns: [column("Flight No.", { name: "flight_no" }), second] };
  const names = (asked: readonly Asked[]) => asked.filter(({ method }) => method === "PATCH").map(({ body }) => body);

  it("gets plain names when its file is sent, and the names of the file when they are asked for", async () => {
    let read: unknown = plainly;
    const asked = serve({ ...LAKE, [`${AT}i-1/`]: () => json(read), [`PATCH ${AT}i-1/`]: () => json(read) });
    vi.spyOn(upload, "fileSend").mockResolvedValue(difficult);
    const user = userEvent.setup();
    renderAt("/c/demo/import?branch=delays");
    await user.upload(await screen.findByLabelText("Choose a file"), new File(["x"], "x.csv"));
    expect(await screen.findByText("1 name was made plain, so that SQL needs no backticks.")).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>("Name of Flight No.").value).toBe("flight_no");
    read = difficult;
    await user.click(screen.getByRole("button", { name: "Use the names of the file" }));
    expect(await screen.findByRole("button", { name: "Make names plain …" })).toBeTruthy();
    expect(names(asked)).toEqual([{ columns: [{ source: "Flight No.", name: "flight_no" }] }, { columns: [{ source: "Flight No.", name: "Flight No." }] }]);
  });

  it("alone gets plain names: a file for a table that is there keeps its own", async () => {
    const asked = serve({ ...LAKE, [`${AT}i-1/`]: difficult });
    vi.spyOn(upload, "fileSend").mockResolvedValue(difficult);
    const user = userEvent.setup();
    renderAt("/c/demo/import?branch=delays&database=flights&table=weather");
    await user.upload(await screen.findByLabelText("Choose a file"), new File(["x"], "x.csv"));
    expect(await screen.findByText("Where it goes")).toBeTruthy();
    expect(names(asked)).toEqual([]);
  });

  it("gets names without backticks, each shown before it is taken", async () => {
    const [, second] = FILE.columns;
    const asked = serve({ ...LAKE, [`${AT}i-1/`]: { ...FILE, columns: [column("Flight No."), second] }, [`PATCH ${AT}i-1/`]: () => json({ ...FILE, columns: [column("Flight No.", { name: "flight_no" }), second] }) });
    const user = userEvent.setup();
    renderAt(HERE);
    await user.click(await screen.findByRole("button", { name: "Make names plain …" }));
    expect(within(screen.getByRole("list", { name: "New names" })).getByText("flight_no")).toBeTruthy();
    expect(asked.some(({ method }) => method === "PATCH")).toBe(false);
    await user.click(screen.getByRole("button", { name: "Rename 1 column" }));
    await waitFor(() => expect(asked.find(({ method }) => method === "PATCH")?.body).toEqual({ columns: [{ source: "Flight No.", name: "flight_no" }] }));
    await waitFor(() => expect(screen.queryByRole("button", { name: "Make names plain …" })).toBeNull());
    expect(screen.getByLabelText<HTMLInputElement>("Name of Flight No.").value).toBe("flight_no");
  });

  it("gets the file's name, its key and its columns as they were chosen", async () => {
    const asked = serve({
      ...LAKE,
      [`PATCH ${AT}i-1/`]: () => json({ ...FILE, columns: [column("flight", { name: "number" }), FILE.columns[1]] }),
    });
    const user = userEvent.setup();
    const router = renderAt(HERE);
    const name = await screen.findByLabelText("Name of flight");
    await user.clear(name);
    await user.type(name, "number{Enter}");
    await waitFor(() => expect(asked.find(({ method }) => method === "PATCH")?.body).toEqual({ columns: [{ source: "flight", name: "number" }] }));
    await user.click(screen.getByLabelText("flight is part of the key"));
    await user.selectOptions(await screen.findByLabelText("Database"), "flights");
    await user.type(screen.getByLabelText("Message for the history (optional)"), " delays of May");
    await user.click(screen.getByRole("button", { name: "Create flights.delays_2014" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/tasks/t-1"));
    const load = asked.find(({ address }) => address.endsWith("/load/"));
    expect(load?.body).toEqual({ mode: "create", database: "flights", table: "delays_2014", primary_key: ["number"], partition_by: [], message: "delays of May" });
    expect(load?.headers.get("Idempotency-Key")).toMatch(/^[0-9a-f]{32}$/);
  });

  it("loads what was typed last, though the button is clicked at once", async () => {
    const renamed = { ...FILE, columns: [column("flight", { name: "number" }), FILE.columns[1]] };
    let answer: () => void = () => undefined;
    const asked = serve({
      ...LAKE,
      [`PATCH ${AT}i-1/`]: () => new Promise<Response>((resolve) => (answer = () => resolve(json(renamed)))),
    });
    const user = userEvent.setup();
    const router = renderAt(HERE);
    await user.selectOptions(await screen.findByLabelText("Database"), "flights");
    await user.click(screen.getByLabelText("flight is part of the key"));
    const name = screen.getByLabelText("Name of flight");
    await user.clear(name);
    await user.type(name, "number");
    await user.click(screen.getByRole("button", { name: "Create flights.delays_2014" }));
    expect(asked.filter(({ method }) => method !== "GET").map(({ method }) => method)).toEqual(["PATCH"]);
    answer();
    await waitFor(() => expect(router.state.location.pathname).toBe("/tasks/t-1"));
    expect(asked.find(({ address }) => address.endsWith("/load/"))?.body).toMatchObject({ primary_key: ["number"] });
  });

  it("is not made while a choice stands that was refused", async () => {
    const asked = serve({
      ...LAKE,
      [`PATCH ${AT}i-1/`]: () => problem(400, { code: "INVALID_VALUE", title: "Invalid value", detail: "integr is no type." }),
    });
    const user = userEvent.setup();
    renderAt(HERE);
    await user.selectOptions(await screen.findByLabelText("Database"), "flights");
    const type = screen.getByLabelText("Type of flight");
    await user.clear(type);
    await user.type(type, "integr");
    await user.click(screen.getByRole("button", { name: "Create flights.delays_2014" }));
    expect(await screen.findAllByText("integr is no type.")).toHaveLength(2);
    expect(asked.some(({ address }) => address.endsWith("/load/"))).toBe(false);
  });

  it("says in the row of a column which value its type does not take", async () => {
    serve({ ...LAKE, [`${AT}i-1/`]: { ...FILE, columns: [column("flight", { inferred_type: "string", misfit: { row: 7, value: "many" } })] } });
    renderAt(HERE);
    const row = await within(await screen.findByRole("region", { name: "Columns of the file" })).findByRole("row", { name: /flight/ });
    expect(within(row).getByRole("alert").textContent).toBe("Row 7 has “many”, which is no bigint; string takes every value.");
  });

  it("keeps a type that was refused in its field, with the reason beside it", async () => {
    serve({ ...LAKE, [`PATCH ${AT}i-1/`]: () => problem(400, { code: "INVALID_VALUE", title: "Invalid value", detail: "integr is no type." }) });
    const user = userEvent.setup();
    renderAt(HERE);
    const type = await screen.findByLabelText<HTMLInputElement>("Type of flight");
    await user.clear(type);
    await user.type(type, "integr{Enter}");
    expect((await screen.findByRole("alert")).textContent).toBe("integr is no type.");
    expect(type.value).toBe("integr");
  });

  it("keeps what was typed while an earlier choice of the same field was on its way", async () => {
    const answers: (() => void)[] = [];
    const asked = serve({
      ...LAKE,
      [`PATCH ${AT}i-1/`]: ({ body }) =>
        new Promise<Response>((resolve) => {
          const [{ name }] = (body as { columns: [{ name: string }] }).columns;
          answers.push(() => resolve(json({ ...FILE, columns: [column("flight", { name }), FILE.columns[1]] })));
        }),
    });
    const user = userEvent.setup();
    const router = renderAt(HERE);
    await user.selectOptions(await screen.findByLabelText("Database"), "flights");
    const name = screen.getByLabelText<HTMLInputElement>("Name of flight");
    await user.clear(name);
    await user.type(name, "first{Enter}");
    await user.clear(name);
    await user.type(name, "flight");
    answers[0]?.();
    await waitFor(() => expect(screen.getByRole("columnheader", { name: /first/ })).toBeTruthy());
    expect(name.value).toBe("flight");
    await user.click(screen.getByRole("button", { name: "Create flights.delays_2014" }));
    await waitFor(() => expect(answers).toHaveLength(2));
    answers[1]?.();
    await waitFor(() => expect(router.state.location.pathname).toBe("/tasks/t-1"));
    const renamed = asked.filter(({ method }) => method === "PATCH").map(({ body }) => body);
    expect(renamed).toEqual(["first", "flight"].map((chosen) => ({ columns: [{ source: "flight", name: chosen }] })));
  });

  it("shows at once what is left out, and is not made while a type stands refused beside a taken name", async () => {
    let answer: () => void = () => undefined;
    const asked = serve({
      ...LAKE,
      [`PATCH ${AT}i-1/`]: ({ body }) => {
        const [choice] = (body as { columns: [Partial<ImportColumn>] }).columns;
        if (choice.type) return problem(400, { code: "INVALID_VALUE", title: "Invalid value", detail: "integr is no type." });
        return new Promise<Response>((resolve) => (answer = () => resolve(json({ ...FILE, columns: [column("flight", choice), FILE.columns[1]] }))));
      },
    });
    const user = userEvent.setup();
    renderAt(HERE);
    await user.selectOptions(await screen.findByLabelText("Database"), "flights");
    const type = screen.getByLabelText<HTMLInputElement>("Type of flight");
    await user.clear(type);
    await user.type(type, "integr{Enter}");
    expect(await screen.findByText("integr is no type.")).toBeTruthy();
    const taken = screen.getByLabelText<HTMLInputElement>("Import flight");
    await user.click(taken);
    expect(taken.checked).toBe(false);
    answer();
    await user.click(screen.getByRole("button", { name: "Create flights.delays_2014" }));
    expect(await screen.findAllByText("integr is no type.")).toHaveLength(2);
    expect(type.value).toBe("integr");
    expect(asked.some(({ address }) => address.endsWith("/load/"))).toBe(false);
  });

  it("may not have the name of another", async () => {
    serve(LAKE);
    const user = userEvent.setup();
    renderAt(HERE);
    await user.selectOptions(await screen.findByLabelText("Database"), "flights");
    const name = screen.getByLabelText("Table");
    await user.clear(name);
    await user.type(name, "Reasons");
    expect(await screen.findByText(/There is a table of this name/)).toBeTruthy();
  });
});

describe("rows for an existing table", () => {
  const known = { name: "reasons", table_id: 9, database: "flights", columns: [{ id: 1, name: "Flight", type: "int", nullable: true, default: null, key_position: null, partition_position: null }] };

  it("show the table's types, and are not loaded while a column has no place there", async () => {
    const asked = serve({
      ...LAKE,
      [`${TABLES}reasons/`]: known,
      [`PATCH ${AT}i-1/`]: () => json({ ...FILE, columns: [FILE.columns[0], column("reason", { include: false })] }),
    });
    const user = userEvent.setup();
    renderAt(`${HERE}&database=flights&table=reasons`);
    const row = await within(await screen.findByRole("region", { name: "Columns of the file" })).findByRole("row", { name: /flight/ });
    expect(await within(row).findByText("int")).toBeTruthy();
    const load = screen.getByRole<HTMLButtonElement>("button", { name: "Append to flights.reasons" });
    expect(screen.getByText(/The table has no column reason: rename it/)).toBeTruthy();
    expect(load.disabled).toBe(true);
    await user.click(screen.getByLabelText("Import reason"));
    await waitFor(() => expect(load.disabled).toBe(false));
    await user.click(load);
    await waitFor(() => expect(asked.find(({ address }) => address.endsWith("/load/"))?.body).toMatchObject({ mode: "append", table: "reasons" }));
  });
});
