import { describe, expect, it } from "vitest";

import { configuration, FIELDS, INCREMENTAL } from "../testing/pipelines";
import { annotatedLine, changedSettings, fieldsFor, idleKeys, missingFields, settingsOf, settingText, unknownColumns } from "./pipeline-settings";

const names = (fields: readonly { name: string }[]) => fields.map(({ name }) => name);
const changed = (wanted: Record<string, unknown>, removed: string[] = []) =>
  changedSettings(FIELDS, INCREMENTAL, { ...settingsOf(INCREMENTAL), ...wanted } as ReturnType<typeof settingsOf>, removed);

describe("fields of a strategy", () => {
  it("are those that it reads, apart from those that all read", () => {
    const { own, common } = fieldsFor(FIELDS, "scd2");
    expect(names(own)).toEqual(["unique_key", "watermark_column", "scd_valid_from"]);
    expect(names(common)).toEqual(["publish", "checks", "strict", "description"]);
    expect(names(fieldsFor(FIELDS, "append_only").own)).toEqual([]);
  });

  it("are missing while a required one is empty", () => {
    expect(missingFields(FIELDS, { merge_strategy: "incremental", unique_key: [] })).toEqual(["unique_key"]);
    expect(missingFields(FIELDS, { merge_strategy: "incremental", unique_key: ["id"] })).toEqual([]);
    expect(missingFields(FIELDS, { merge_strategy: "full_refresh" })).toEqual([]);
  });
});

describe("what saving the form changes", () => {
  it("is nothing when nothing was touched", () => {
    expect(changed({})).toEqual({});
  });

  it("is what differs, and a key goes when its value is the default again", () => {
    expect(changed({ strict: true, watermark_column: "" })).toEqual({ strict: true, watermark_column: null });
    expect(changed({ merge_strategy: "full_refresh" })).toEqual({ merge_strategy: null });
  });

  it("leaves alone what an annotation decides, and what the chosen strategy does not read", () => {
    expect(changed({ unique_key: ["other"] })).toEqual({});
    expect(changed({ merge_strategy: "append_only", watermark_column: "x" })).toEqual({ merge_strategy: "append_only" });
  });

  it("takes out what means nothing any more only when asked", () => {
    const idle = idleKeys(FIELDS, "append_only", INCREMENTAL);
    expect(idle).toEqual(["watermark_column"]);
    expect(changed({ merge_strategy: "append_only" }, idle)).toEqual({ merge_strategy: "append_only", watermark_column: null });
  });
});

describe("columns of the target", () => {
  it("are looked for without regard to case, in fields that name columns", () => {
    const settings = { merge_strategy: "incremental", unique_key: ["ID", "nope"], watermark_column: "when", description: "nope" };
    expect(unknownColumns(FIELDS, settings, ["id", "x"])).toEqual({ unique_key: ["nope"], watermark_column: ["when"] });
  });

  it("need not have what the run itself adds", () => {
    expect(unknownColumns(FIELDS, { merge_strategy: "scd2", unique_key: ["id"], scd_valid_from: "valid_from" }, ["id"])).toEqual({});
  });
});

it("the line of an annotation is known", () => {
  expect([annotatedLine(INCREMENTAL, "unique_key"), annotatedLine(INCREMENTAL, "watermark_column"), annotatedLine(configuration(), "strict")]).toEqual([1, undefined, undefined]);
});

it("values are shown in words", () => {
  expect([settingText(["a", "b"]), settingText(""), settingText([]), settingText(false), settingText("x")]).toEqual(["a, b", "—", "—", "false", "x"]);
});
