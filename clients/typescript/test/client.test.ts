import { describe, expect, expectTypeOf, test } from "vitest";

import { type Lake, Problem, type components, createLake, onceKey } from "../src/index.js";

type Answer = Response | Error;

/** A lake whose server answers these, one after another, and what it was sent. */
function lake(...answers: Answer[]): { lake: Lake; sent: Request[] } {
  const sent: Request[] = [];
  const made = createLake({
    url: "https://lake.example.com/data/",
    token: "lake_secret",
    pause: () => 0,
    fetch: (request) => {
      sent.push(request);
      const answer = answers[sent.length - 1];
      if (answer === undefined) throw new Error(`No answer is left for ${request.method} ${request.url}.`);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  });
  return { lake: made, sent };
}

function json(content: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(content), { status, headers: { "Content-Type": "application/json", ...headers } });
}

const task = { id: "7", kind: "sql", state: "running", steps: [], result: null, error: null };
const statement = { catalog: "demo", branch: "main", statement: "SELECT 1" };

test("an answer is typed by the document, and asked for with the token", async () => {
  const { lake: demo, sent } = lake(json({ columns: [], rows: [[1]], row_count: 1, truncated: false, version: 3, metrics: {} }));
  const answer = await demo.done(demo.POST("/api/v1/sql/", { body: statement }));
  expectTypeOf(answer).toEqualTypeOf<components["schemas"]["StatementAnswer"]>();
  expect(answer.rows).toEqual([[1]]);
  expect(sent[0]?.url).toBe("https://lake.example.com/data/api/v1/sql/");
  expect(sent[0]?.headers.get("Authorization")).toBe("Bearer lake_secret");
  expect(await sent[0]?.json()).toEqual(statement);
});

test("what the document does not know is no program", () => {
  const { lake: demo } = lake();
  // Never called: only their types are asked.
  const wrong = [
    // @ts-expect-error An address that is none.
    () => demo.GET("/api/v1/catalog/"),
    // @ts-expect-error A body that lacks its statement.
    () => demo.POST("/api/v1/sql/", { body: { catalog: "demo" } }),
    // @ts-expect-error A branch is named in the address.
    () => demo.GET("/api/v1/catalogs/{catalog}/branches/{branch}/", { params: { path: { catalog: "demo" } } }),
  ];
  expect(wrong).toHaveLength(3);
});

describe("longer work", () => {
  test("is waited for", async () => {
    const done = { ...task, state: "succeeded", result: { version: 4 } };
    const { lake: demo, sent } = lake(json(task, 202), json(task), json(done));
    const answer = await demo.done(demo.POST("/api/v1/sql/", { body: statement }));
    expect(answer.version).toBe(4);
    expect(sent.slice(1).map((request) => new URL(request.url).pathname)).toEqual(Array(2).fill("/data/api/v1/tasks/7/"));
    expect(sent[1]?.headers.get("Prefer")).toBe("wait=30");
  });

  test("that fails is a problem with the task's own document", async () => {
    const failed = { ...task, state: "failed", error: { code: "DIVIDE_BY_ZERO", detail: "A division.", remedy: "Use try_divide." } };
    const { lake: demo } = lake(json(failed, 202));
    const refused = demo.done(demo.POST("/api/v1/sql/", { body: statement }));
    await expect(refused).rejects.toMatchObject({ code: "DIVIDE_BY_ZERO", message: "A division. Use try_divide." });
  });
});

describe("a refusal", () => {
  test("is thrown with its conflicts", async () => {
    const conflicts = [{ object: "d.t", code: "UPDATE_INSERT", message: "Both." }];
    const { lake: demo } = lake(json({ code: "MERGE_CONFLICT", detail: "No.", remedy: "Decide.", status: 409, conflicts }, 409));
    const body = { source: "fix", destination: "main" };
    const refused = await demo
      .POST("/api/v1/catalogs/{catalog}/merges/", { params: { path: { catalog: "demo" } }, body })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Problem);
    expect(refused).toMatchObject({ code: "MERGE_CONFLICT", status: 409, remedy: "Decide.", conflicts, waitsForPeople: false });
  });

  test("of a protection waits for people", async () => {
    const { lake: demo } = lake(json({ code: "FORBIDDEN", detail: "Protected.", patterns: ["main"] }, 403));
    await expect(demo.GET("/api/v1/catalogs/")).rejects.toMatchObject({ waitsForPeople: true });
  });

  test("of a proxy, without a document, says its status", async () => {
    const { lake: demo } = lake(new Response("<html>", { status: 404, headers: { "Content-Type": "text/html" } }));
    await expect(demo.GET("/api/v1/catalogs/")).rejects.toThrow("The server answered 404.");
  });
});

describe("an answer that is lost", () => {
  test("is asked for again where that reads", async () => {
    const { lake: demo, sent } = lake(new TypeError("reset"), json({}, 503), json({ results: [], next: null }));
    await demo.GET("/api/v1/catalogs/");
    expect(sent).toHaveLength(3);
  });

  test("of a write is asked for again under its key, with its body", async () => {
    const { lake: demo, sent } = lake(new TypeError("reset"), json({ merge_id: "m" }, 201));
    const params = { path: { catalog: "demo" }, header: { "Idempotency-Key": onceKey() } };
    await demo.POST("/api/v1/catalogs/{catalog}/merges/", { params, body: { source: "fix", destination: "main" } });
    expect(sent.map((request) => request.headers.get("Idempotency-Key"))).toEqual(Array(2).fill(params.header["Idempotency-Key"]));
    expect(await sent[1]?.json()).toEqual({ source: "fix", destination: "main" });
  });

  test("of a write without a key is lost", async () => {
    const { lake: demo, sent } = lake(new TypeError("reset"));
    await expect(demo.POST("/api/v1/sql/", { body: statement })).rejects.toThrow("reset");
    expect(sent).toHaveLength(1);
  });
});

test("a list is read through all of its pages, at the address that was given", async () => {
  const next = "http://inside:8000/api/v1/catalogs/?cursor=2";
  const { lake: demo, sent } = lake(json({ results: [{ name: "a" }], next }), json({ results: [{ name: "b" }], next: null }));
  const names: string[] = [];
  for await (const entry of demo.entries(demo.GET("/api/v1/catalogs/"))) names.push(entry.name);
  expect(names).toEqual(["a", "b"]);
  expect(sent[1]?.url).toBe("https://lake.example.com/data/api/v1/catalogs/?cursor=2");
  expect(sent[1]?.headers.get("Authorization")).toBe("Bearer lake_secret");
});

test("whole numbers that JavaScript would round come as texts", async () => {
  const text = '{"columns":[],"rows":[[9007199254740993,1,"say \\"9007199254740993\\"",-9007199254740993]],"row_count":1}';
  const { lake: demo } = lake(new Response(text, { headers: { "Content-Type": "application/json" } }));
  const answer = await demo.done(demo.POST("/api/v1/sql/", { body: statement }));
  expect(answer.rows).toEqual([["9007199254740993", 1, 'say "9007199254740993"', "-9007199254740993"]]);
});
