import { describe, expect, it } from "vitest";

import { comment, event } from "../testing/review";
import { dataPlaceText, eventText, threadsAt, threadsOf, threadsOnColumns, threadsOnRow } from "./timeline";

describe("a timeline in words", () => {
  it.each([
    [event({}), "opened the request, with the source at v15 and the target at v16"],
    [event({ kind: "reviewed", details: { review: 1, verdict: "request_changes", fingerprint: "f" } }), "requested changes"],
    [event({ kind: "edited", details: { fields: ["labels", "title"] } }), "changed the labels, title"],
    [event({ kind: "state", from_state: "open", to_state: "merged", details: { version: 17 } }), "merged it as v17"],
    [event({ kind: "state", from_state: "closed", to_state: "open" }), "reopened it"],
    [event({ kind: "state", actor: null, from_state: "queued", to_state: "open", reason: "A verdict changed." }), "set it to open: A verdict changed."],
    [
      event({ kind: "pushed", actor: "bob", details: { from: 3, source_head: 7, commits: 2, authors: ["alice", "bob"] } }),
      "wrote to the source, with alice: 2 commits, v3 to v7",
    ],
    [event({ kind: "dropped", details: { side: "source", branch: "delays" } }), "saw that the source delays was dropped"],
    [event({ kind: "dropped", details: { side: "source", branch: "b", from: 9, reset_to: 7 } }), "saw that the source b was reset from v9 to v7"],
    [event({ kind: "undropped", details: { side: "destination", branch: "main" } }), "saw that the target main is back"],
    [
      event({ kind: "status", details: { context: "ci/tests", state: "failure", source_head: 7 } }),
      "reported ci/tests: failure, of v7",
    ],
    [event({ kind: "pushed", details: { from: 3, source_head: 4, commits: 1, authors: [] } }), "wrote to the source: 1 commit, v3 to v4"],
    [event({ kind: "checked", details: { checks: { no_nulls: "passed" } } }), "ran the checks: no_nulls passed"],
    [
      event({ kind: "resolution", details: { what: "decided", object_kind: "table", object_id: 5, part: "property", part_key: "owner", decision: "source", name: "" } }),
      "decided for table 5, property owner: keep the source",
    ],
    [event({ kind: "commented", details: { what: "resolved", comment: 1 } }), "resolved a thread"],
    [event({ kind: "commented", details: { what: "edited", comment: 1 } }), undefined],
  ])("%#", (given, words) => {
    expect(eventText(given)).toBe(words);
  });
});

describe("comments", () => {
  const onCell = comment({ id: 3, place: "cell", object_kind: "table", object_id: 5, rule_table: "table", source_op: "update", dest_op: "insert" });
  const onObject = comment({ id: 4, place: "object", object_kind: "table", object_id: 5 });
  const threads = threadsOf([comment({ id: 1 }), comment({ id: 2, thread: 1 }), onCell, onObject, comment({ id: 5, thread: 3 })]);

  it("stand with what they answer", () => {
    expect(threads.map(({ first, replies }) => [first.id, replies.map(({ id }) => id)])).toEqual([
      [1, [2]],
      [3, [5]],
      [4, []],
    ]);
  });

  it("stand where they were made: on an object, or on a cell of its matrix", () => {
    const object = { kind: "table", object_id: 5 };
    const cell = { rule_table: "table", source_op: "update", dest_op: "insert" };
    expect(threadsAt(threads, object).map(({ first }) => first.id)).toEqual([4]);
    expect(threadsAt(threads, object, cell).map(({ first }) => first.id)).toEqual([3]);
    expect(threadsAt(threads, object, { ...cell, source_op: "delete" })).toEqual([]);
    expect(threadsAt(threads, { kind: "table", object_id: 6 })).toEqual([]);
  });

  it("stand beside the row or the column that they are on", () => {
    const object = { kind: "table", object_id: 5 };
    const on = { object_kind: "table", object_id: 5 };
    const row = comment({ ...on, id: 6, place: "row", row_key: '{"id":1}' });
    const value = comment({ ...on, id: 7, place: "value", row_key: '{"id":1}', column_id: 3, column_name: "tier" });
    const column = comment({ ...on, id: 8, place: "column", column_id: 3, column_name: "tier" });
    const found = threadsOf([onObject, row, value, column]);
    expect(threadsOnRow(found, object, '{"id":1}').map(({ first }) => first.id)).toEqual([6, 7]);
    expect(threadsOnRow(found, object, '{"id":2}')).toEqual([]);
    expect(threadsOnColumns(found, object).map(({ first }) => first.id)).toEqual([8]);
    expect(threadsAt(found, object).map(({ first }) => first.id)).toEqual([4]);
    expect([onObject, row, value, column].map(dataPlaceText)).toEqual(["", "row id = 1", "row id = 1, column tier", "column tier"]);
  });
});
