import { useId, useState } from "react";

import { useBranches } from "../../queries/catalogs";

const NEWEST_FIRST = { order: "-activity" } as const;

/** One branch of the catalog: a list, or where they are more than one page of them a field that finds them by name. */
export function BranchField({ catalog, label, value, onChange }: { catalog: string; label: string; value: string; onChange: (name: string) => void }) {
  const branches = useBranches(catalog, NEWEST_FIRST);
  const names = branches.data?.pages.flatMap((page) => page.results.map((branch) => branch.name)) ?? [];
  if (branches.hasNextPage) return <FoundBranch key={value} catalog={catalog} label={label} value={value} onChange={onChange} />;
  return (
    <label className="field grow">
      <span>{label}</span>
      <select className="input" value={value} onChange={(event) => onChange(event.target.value)}>
        {value ? null : <option value="">Choose a branch</option>}
        {(value && !names.includes(value) ? [value, ...names] : names).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

/** What is typed is looked for on the server; it is chosen when it is a name, or when the field is left. */
function FoundBranch({ catalog, label, value, onChange }: { catalog: string; label: string; value: string; onChange: (name: string) => void }) {
  const [text, setText] = useState(value);
  const list = useId();
  const wanted = text.trim();
  const found = useBranches(catalog, wanted && wanted !== value ? { ...NEWEST_FIRST, search: wanted } : NEWEST_FIRST);
  const names = found.data?.pages[0]?.results.map((branch) => branch.name) ?? [];
  const choose = (name: string) => {
    if (name && name !== value) onChange(name);
  };
  return (
    <label className="field grow">
      <span>{label}</span>
      <input
        className="input"
        list={list}
        value={text}
        spellCheck={false}
        autoComplete="off"
        placeholder="Find a branch by name"
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
    </label>
  );
}
