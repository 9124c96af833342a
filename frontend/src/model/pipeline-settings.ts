/** The settings of a strategy as a form has them, and what saving the form changes in config.yaml. */
import type { EffectiveConfiguration, PipelineField, Strategy } from "../api/resources";
import { isStrategy, STRATEGY_NAMES } from "./strategies";

export type SettingValue = string | boolean | readonly string[] | null;
export type Settings = Record<string, SettingValue>;

/** The field that chooses among the others. */
export const STRATEGY_FIELD = "merge_strategy";
const OF_SOURCE = "source";

export function settingsOf(configuration: EffectiveConfiguration): Settings {
  return Object.fromEntries(Object.entries(configuration.fields).map(([name, entry]) => [name, entry.value as SettingValue]));
}

export function strategyOf(settings: Settings): Strategy {
  const chosen = settings[STRATEGY_FIELD];
  return isStrategy(chosen) ? chosen : "full_refresh";
}

/** Fields that only some strategies read, this one among them; and those that every strategy reads. */
export function fieldsFor(fields: readonly PipelineField[], strategy: Strategy): { own: PipelineField[]; common: PipelineField[] } {
  const shown = fields.filter(({ name }) => name !== STRATEGY_FIELD);
  const isCommon = ({ strategies }: PipelineField) => strategies.length === STRATEGY_NAMES.length;
  return { own: shown.filter((field) => !isCommon(field) && field.strategies.includes(strategy)), common: shown.filter(isCommon) };
}

/** Keys of config.yaml that the strategy does not read. */
export function idleKeys(fields: readonly PipelineField[], strategy: Strategy, configuration: EffectiveConfiguration): string[] {
  return fields
    .filter(({ name, strategies }) => !strategies.includes(strategy) && configuration.fields[name]?.origin === "config.yaml")
    .map(({ name }) => name);
}

/** The line of the source whose annotation decides the field, whatever config.yaml says. */
export function annotatedLine(configuration: EffectiveConfiguration, name: string): number | undefined {
  const entry = configuration.fields[name];
  return entry?.origin === OF_SOURCE ? (entry.line ?? 1) : undefined;
}

/** What is to change in config.yaml: keys whose value differs from what is in force now; null takes a key out. A value that
 * is the default goes as no key at all. */
export function changedSettings(
  fields: readonly PipelineField[],
  configuration: EffectiveConfiguration,
  wanted: Settings,
  removed: readonly string[] = [],
): Settings {
  const changes: Settings = Object.fromEntries(removed.map((name) => [name, null]));
  const shown = new Set([STRATEGY_FIELD, ...visible(fields, strategyOf(wanted))]);
  for (const field of fields) {
    if (!shown.has(field.name) || annotatedLine(configuration, field.name) !== undefined) continue;
    const value = wanted[field.name] ?? null;
    if (isSame(value, configuration.fields[field.name]?.value as SettingValue)) continue;
    changes[field.name] = isSame(value, field.default as SettingValue) ? null : value;
  }
  return changes;
}

function visible(fields: readonly PipelineField[], strategy: Strategy): string[] {
  const { own, common } = fieldsFor(fields, strategy);
  return [...own, ...common].map(({ name }) => name);
}

/** What the strategy requires and no field says. */
export function missingFields(fields: readonly PipelineField[], settings: Settings): string[] {
  const strategy = strategyOf(settings);
  return fields.filter(({ name, required_by }) => required_by.includes(strategy) && isEmpty(settings[name])).map(({ name }) => name);
}

/** Fields that say columns which the run itself adds to the table, so that it need not have them. */
const ADDED_BY_THE_RUN = new Set(["scd_valid_from", "scd_valid_to", "scd_deleted"]);

/** By field: its columns that the table does not have. Case does not count in names. */
export function unknownColumns(
  fields: readonly PipelineField[],
  settings: Settings,
  columns: readonly string[],
): Record<string, string[]> {
  const known = new Set(columns.map((name) => name.toLowerCase()));
  const found: Record<string, string[]> = {};
  for (const { name, kind } of fieldsFor(fields, strategyOf(settings)).own) {
    if (ADDED_BY_THE_RUN.has(name) || !(kind === "a column's name" || kind === "a list of columns")) continue;
    const strange = namesIn(settings[name]).filter((column) => !known.has(column.toLowerCase()));
    if (strange.length) found[name] = strange;
  }
  return found;
}

function namesIn(value: SettingValue | undefined): readonly string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

export function isEmpty(value: SettingValue | undefined): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

function isSame(left: SettingValue | undefined, right: SettingValue | undefined): boolean {
  if (isEmpty(left) && isEmpty(right)) return true;
  return JSON.stringify(left) === JSON.stringify(right);
}

/** A value as it stands in a table. */
export function settingText(value: unknown): string {
  if (isEmpty(value as SettingValue)) return "—";
  return Array.isArray(value) ? value.join(", ") : String(value);
}
