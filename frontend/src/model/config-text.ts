/** config.yaml as a text of which a form sets single keys; all else in it stays as a person wrote it. */
import type { SettingValue } from "./pipeline-settings";

const PLAIN = /^[A-Za-z_][\w.-]*$/;
/** Words that YAML reads as something other than a text. */
const WORDS = /^(true|false|yes|no|on|off|null|y|n)$/i;

/** The text with the key set to the value; without the key where the value is empty. */
export function configWith(config: string, name: string, value: SettingValue): string {
  const isNone = value === null || value === "" || (Array.isArray(value) && value.length === 0);
  const line = isNone ? "" : `${name}: ${written(value)}\n`;
  const entry = entryOf(name);
  if (entry.test(config)) return config.replace(entry, () => line);
  return line === "" ? config : `${config}${config === "" || config.endsWith("\n") ? "" : "\n"}${line}`;
}

/** The key with all lines of its value. */
function entryOf(name: string): RegExp {
  return new RegExp(`^${name}[ \\t]*:.*(?:\\n(?:[ \\t]+\\S.*|-.*))*\\n?`, "m");
}

function written(value: Exclude<SettingValue, null>): string {
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return word(value);
  return `[${value.map(word).join(", ")}]`;
}

function word(text: string): string {
  return PLAIN.test(text) && !WORDS.test(text) ? text : JSON.stringify(text);
}
