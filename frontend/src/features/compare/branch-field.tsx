import { useId, useState } from "react";

import { useBranches } from "../../queries/catalogs";
import { Field, Input } from "../../ui/field";
import { Select } from "../../ui/select";

const NEWEST_FIRST = { order: "-activity" } as const;

interface FieldProps {
  catalog: string;
  label: string;
  value: string;
  /** What no branch at all is called, where that can be chosen: a filter. Its label is for a screen reader alone. */
  none?: string | undefined;
  onChange: (name: string) => void;
}

/** One branch of the catalog: a list, or where they are more than one page of them a field that finds them by name. */
export function BranchField({ catalog, label, value, none, onChange }: FieldProps) {
  const branches = useBranches(catalog, NEWEST_FIRST);
  const names = branches.data?.pages.flatMap((page) => page.results.map((branch) => branch.name)) ?? [];
  if (branches.hasNextPage) return <FoundBranch key={value} catalog={catalog} label={label} value={value} none={none} onChange={onChange} />;
  return (
    <Field className={none === undefined ? "grow" : undefined}>
      <FieldLabel label={label} none={none} />
      <Select value={value} onChange={(event) => onChange(event.target.value)}>
        {value && none === undefined ? null : <option value="">{none ?? "Choose a branch"}</option>}
        {(value && !names.includes(value) ? [value, ...names] : names).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
    </Field>
  );
}

/** What is typed is looked for on the server; it is chosen when it is a name, or when the field is left. */
function FoundBranch({ catalog, label, value, none, onChange }: FieldProps) {
  const [text, setText] = useState(value);
  const list = useId();
  const wanted = text.trim();
  const found = useBranches(catalog, wanted && wanted !== value ? { ...NEWEST_FIRST, search: wanted } : NEWEST_FIRST);
  const names = found.data?.pages[0]?.results.map((branch) => branch.name) ?? [];
  const choose = (name: string) => {
    if ((name || none !== undefined) && name !== value) onChange(name);
  };
  return (
    <Field className={none === undefined ? "grow" : undefined}>
      <FieldLabel label={label} none={none} />
      <Input
        list={list}
        value={text}
        spellCheck={false}
        autoComplete="off"
        placeholder={none ?? "Find a branch by name"}
        onFocus={(event) => event.target.select()}
        onChange={(event) => {
          setText(event.target.value);
          // An option that was pressed comes whole; a name that is typed may be the beginning of another.
          if (event.nativeEvent instanceof InputEvent && event.nativeEvent.inputType === "insertReplacementText") choose(event.target.value);
        }}
        onBlur={() => choose(wanted)}
      />
      <datalist id={list}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </Field>
  );
}

function FieldLabel({ label, none }: Pick<FieldProps, "label" | "none">) {
  return <span className={none === undefined ? undefined : "visually-hidden"}>{label}</span>;
}
