import type { CatalogSettings, Role } from "../../api/resources";
import { isAtLeast } from "../../model/roles";
import { useCatalogSettings, useSettingsChange } from "../../queries/catalog-settings";
import { Muted } from "../../ui/muted";
import { Failure, Loaded } from "../../ui/states";

type Granularity = CatalogSettings["merge_conflicts"];

const CHOICES: readonly { value: Granularity; label: string; text: string }[] = [
  { value: "file", label: "The same data file", text: "The strictest: changes of different rows conflict where the rows lie in one file." },
  { value: "row", label: "The same row", text: "Changes of different rows merge." },
  { value: "cell", label: "The same cell", text: "Changes of different columns of one row merge too." },
];

/** What counts as a conflict where both branches changed rows. */
export function MergingTab({ catalog, role }: { catalog: string; role: Role }) {
  const settings = useCatalogSettings(catalog);
  return (
    <Loaded query={settings} label="the settings">
      {(found) => <Conflicts catalog={catalog} shown={found} mayManage={isAtLeast(role, "owner")} />}
    </Loaded>
  );
}

function Conflicts({ catalog, shown, mayManage }: { catalog: string; shown: CatalogSettings; mayManage: boolean }) {
  const change = useSettingsChange(catalog);
  return (
    <div className="inside stack merging">
      <Muted as="p">
        Tables without a primary key inherit this setting. The property <code>merge.conflicts</code> of a table on the target branch
        overrides it. Tables with a primary key merge by key and cell.{mayManage ? "" : " Owners change it."}
      </Muted>
      <fieldset className="option-set" disabled={!mayManage || change.isPending}>
        <legend className="small">A conflict is where both branches changed</legend>
        {CHOICES.map(({ value, label, text }) => (
          <label key={value} className="row">
            <input
              type="radio"
              name="merge-conflicts"
              checked={shown.merge_conflicts === value}
              onChange={() => change.mutate({ save: { merge_conflicts: value }, shown })}
            />
            <span>
              {label} <Muted isSmall>{text}</Muted>
            </span>
          </label>
        ))}
      </fieldset>
      {change.error ? <Failure error={change.error} /> : null}
    </div>
  );
}
