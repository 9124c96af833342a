import { expect, it } from "vitest";

import { configWith } from "./config-text";

it("sets a key and keeps all else as it is written", () => {
  const config = "# ours\nmerge_strategy: full_refresh # at first\nunique_key:\n  - a\n  - b\nstrict: true\n";
  expect(configWith(config, "merge_strategy", "scd2")).toBe("# ours\nmerge_strategy: scd2\nunique_key:\n  - a\n  - b\nstrict: true\n");
  expect(configWith(config, "unique_key", ["id", "on", "a b"])).toBe('# ours\nmerge_strategy: full_refresh # at first\nunique_key: [id, "on", "a b"]\nstrict: true\n');
  expect(configWith(config, "strict", false)).toContain("\nstrict: false\n");
});

it("adds a key at the end, and takes one out that has no value any more", () => {
  expect(configWith("", "merge_strategy", "snapshot")).toBe("merge_strategy: snapshot\n");
  expect(configWith("strict: true", "partition_column", "day")).toBe("strict: true\npartition_column: day\n");
  expect(configWith("unique_key:\n- a\nstrict: true", "unique_key", [])).toBe("strict: true");
  expect(configWith("strict: true\n", "unique_key", null)).toBe("strict: true\n");
});

it("takes no key for another one whose name it begins or ends", () => {
  expect(configWith("my_unique_key: x\nunique_keys: y\n", "unique_key", ["z"])).toBe("my_unique_key: x\nunique_keys: y\nunique_key: [z]\n");
});
