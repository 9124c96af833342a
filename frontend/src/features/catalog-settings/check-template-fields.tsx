import { useId, useState } from "react";

import { TEMPLATES, fieldLabel, type Field as TemplateField, type Template, type Texts } from "../../model/check-templates";
import { useDatabases, useTable, useTables } from "../../queries/tables";
import { Field, Input } from "../../ui/field";

/** The parameters of a check, with the tables and columns of main as suggestions. */
export function CheckTemplateFields({
  catalog,
  template,
  texts,
  ofChangedRows,
  onTexts,
  onRows,
}: {
  catalog: string;
  template: Template;
  texts: Texts;
  ofChangedRows: boolean;
  onTexts: (texts: Texts) => void;
  onRows: (ofChangedRows: boolean) => void;
}) {
  const known = TEMPLATES[template];
  return (
    <>
      {known.fields.map((field) => (
        <SuggestedField
          key={field}
          catalog={catalog}
          field={field}
          label={fieldLabel(template, field)}
          text={texts[field] ?? ""}
          table={field === "to_column" ? texts.to_table : texts.table}
          isRequired={!known.optional?.includes(field)}
          onChange={(text) => onTexts({ ...texts, [field]: text })}
        />
      ))}
      {known.byChangedRows ? (
        <label className="row">
          <input type="checkbox" checked={ofChangedRows} onChange={(event) => onRows(event.target.checked)} />
          <span>Only of rows that the merge inserts or updates</span>
        </label>
      ) : null}
    </>
  );
}

interface FieldProps {
  catalog: string;
  field: TemplateField;
  label: string;
  text: string;
  table: string | undefined;
  isRequired: boolean;
  onChange: (text: string) => void;
}

function SuggestedField({ catalog, field, label, text, table, isRequired, onChange }: FieldProps) {
  const list = useId();
  const [isUsed, setUsed] = useState(false);
  const isTable = field === "table" || field === "to_table";
  const isColumn = field === "column" || field === "columns" || field === "to_column";
  return (
    <Field label={label}>
      <Input
        className={field === "condition" ? "mono" : undefined}
        required={isRequired}
        spellCheck={false}
        maxLength={10_000}
        list={isTable || isColumn ? list : undefined}
        value={text}
        onFocus={() => setUsed(true)}
        onChange={(event) => onChange(event.target.value)}
      />
      {isUsed && isTable ? <TableNames id={list} catalog={catalog} text={text} /> : null}
      {isUsed && isColumn ? <ColumnNames id={list} catalog={catalog} table={table ?? ""} /> : null}
    </Field>
  );
}

/** Databases, and after the dot the tables of the one that is named. */
function TableNames({ id, catalog, text }: { id: string; catalog: string; text: string }) {
  const [database = "", ...rest] = text.split(".");
  const databases = useDatabases(catalog, "main");
  const isKnown = rest.length > 0 && (databases.data?.results.some(({ name }) => name === database) ?? false);
  const tables = useTables(catalog, "main", database, "", isKnown);
  const found = isKnown ? tables.data?.pages.flatMap((page) => page.results.map(({ name }) => `${database}.${name}`)) : databases.data?.results.map(({ name }) => `${name}.`);
  return <Options id={id} values={found ?? []} />;
}

function ColumnNames({ id, catalog, table: name }: { id: string; catalog: string; table: string }) {
  const [database = "", table = ""] = name.split(".");
  const found = useTable({ catalog, branch: "main", database, table }, undefined, database !== "" && table !== "");
  return <Options id={id} values={found.data?.columns.map((column) => column.name) ?? []} />;
}

function Options({ id, values }: { id: string; values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}
