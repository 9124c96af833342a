import { Link } from "react-router";

import type { Column, Schemas } from "../../api/resources";
import { mergeAddress } from "../../model/addresses";
import { counted } from "../../model/format";
import { useSchemas, type TablePlace } from "../../queries/tables";
import { Muted } from "../../ui/muted";
import { Loaded } from "../../ui/states";
import { Time } from "../../ui/time";
import { ColumnTable } from "./columns-tab";
import styles from "./schemas-tab.module.css";

/** The three stores: versions that can be gone back to, those kept to decode merged rows, and those let go. */
export function SchemasTab({ place }: { place: TablePlace }) {
  const schemas = useSchemas(place);
  return (
    <Loaded query={schemas} label="schema versions">
      {(found) => <SchemaStores schemas={found} />}
    </Loaded>
  );
}

function SchemaStores({ schemas }: { schemas: Schemas }) {
  return (
    <div className={styles.stores}>
      <Store title="Visible" explanation="Each can be restored.">
        {schemas.visible.map((schema) => (
          <Schema key={schema.version} version={schema.version} columns={schema.columns}>
            {schema.is_current ? <span className="badge fine">now</span> : null} {schema.operation} on {schema.branch},{" "}
            <Time at={schema.time} />
          </Schema>
        ))}
      </Store>
      <Store title="Hidden" explanation="Came with a merge; only kept to read files that were written under them.">
        {schemas.invisible.map((schema) => (
          <Schema key={schema.version} version={schema.version} columns={schema.columns}>
            {counted(schema.segments, "file")}, since v{schema.added_version}
          </Schema>
        ))}
      </Store>
      <Store title="Discarded" explanation="Versions of a merged branch that no file needs.">
        {schemas.discarded.map((schema) => (
          <Schema key={`${schema.merge_id} ${schema.version}`} version={schema.version} columns={schema.columns}>
            of {schema.source}, in the <Link to={mergeAddress(schema.merge_id)}>merge v{schema.merged_version}</Link>
          </Schema>
        ))}
      </Store>
    </div>
  );
}

function Store({ title, explanation, children }: { title: string; explanation: string; children: React.ReactNode[] }) {
  return (
    <section className="inside">
      <h2 className="minor">
        {title} <Muted>({children.length})</Muted>
      </h2>
      <Muted as="p" isSmall>{explanation}</Muted>
      {children.length ? <ul>{children}</ul> : <p className="small">None.</p>}
    </section>
  );
}

function Schema({ version, columns, children }: { version: number; columns: readonly Column[]; children: React.ReactNode }) {
  return (
    <li>
      <details className={styles.schema}>
        <summary className="small">
          <code>v{version}</code> <Muted>{counted(columns.length, "column")} ·</Muted> {children}
        </summary>
        <ColumnTable columns={columns} label={`Columns of schema version ${version}`} />
      </details>
    </li>
  );
}
