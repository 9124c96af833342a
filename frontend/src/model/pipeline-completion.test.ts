import { describe, expect, it } from "vitest";

import { FIELDS } from "../testing/pipelines";
import { configCompletion, HELPERS, sourceCompletion, type Completion } from "./pipeline-completion";

const AROUND = { fields: FIELDS, columns: ["tailnum", "month"], pipelines: ["routes"] };

/** What is offered where `|` stands, and what a choice would take the place of. */
function at(complete: typeof sourceCompletion, marked: string) {
  const position = marked.indexOf("|");
  const text = marked.replace("|", "");
  const found: Completion | undefined = complete(text, position, AROUND);
  return found && { typed: text.slice(found.from, position), labels: found.choices.map(({ label }) => label) };
}
const source = (marked: string) => at(sourceCompletion, marked);
const config = (marked: string) => at(configCompletion, marked);
const KEYS = FIELDS.map(({ name }) => name);

describe("in the source", () => {
  it("keys are offered after an @ in a comment, and nowhere else", () => {
    expect(source("-- @uni|")).toEqual({ typed: "uni", labels: KEYS });
    expect(source("/* @|")).toEqual({ typed: "", labels: KEYS });
    expect(source("SELECT @|")).toBeUndefined();
  });

  it("what a key may be is offered after its colon", () => {
    expect(source("-- @merge_strategy: app|")?.labels).toContain("append_only");
    expect(source("-- @unique_key: tailnum, mo|")).toEqual({ typed: "mo", labels: ["tailnum", "month"] });
    expect(source("-- @strict: |")?.labels).toEqual(["true", "false"]);
    expect(source("-- @description: |")).toBeUndefined();
    expect(source("-- @nothing: |")).toBeUndefined();
  });

  it("helpers are offered inside a template", () => {
    const helpers = HELPERS.map(({ label }) => label);
    expect(source("WHERE t > '{{ wat|")).toEqual({ typed: "wat", labels: helpers });
    expect(source("{% if is_|")).toEqual({ typed: "is_", labels: helpers });
    expect(source("{{ this }} AND |")).toBeUndefined();
  });

  it("the other pipelines are offered to ref, and nothing in other texts", () => {
    expect(source("{{ ref('ro|")).toEqual({ typed: "ro", labels: ["routes"] });
    expect(source("{{ source('fl|")).toBeUndefined();
  });
});

describe("in config.yaml", () => {
  it("keys are offered at the beginning of a line", () => {
    expect(config("strict: true\nmer|")).toEqual({ typed: "mer", labels: KEYS });
    expect(config("  mer|")).toBeUndefined();
  });

  it("columns of the target are offered to keys that take columns", () => {
    expect(config("unique_key: [tailnum, m|")).toEqual({ typed: "m", labels: ["tailnum", "month"] });
    expect(config("partition_column: |")?.labels).toEqual(["tailnum", "month"]);
  });
});
