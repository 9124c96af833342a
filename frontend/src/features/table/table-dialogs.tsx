import { useState } from "react";

import type { TableDetail } from "../../api/resources";
import { branchAddress, tableAddress } from "../../model/addresses";
import { commentOn, tableName } from "../../model/sql";
import { partitionChange, propertySet, propertyUnset, tableDrop, tableRename } from "../../model/table-changes";
import { tableKey, useDatabases, type TablePlace } from "../../queries/tables";
import { Field } from "../../ui/field";
import { Muted } from "../../ui/muted";
import { Select } from "../../ui/select";
import { Loaded } from "../../ui/states";
import { TextField, WriteDialog } from "../sql/write-dialog";

export interface TableChangeProps {
  place: TablePlace;
  table: TableDetail;
  onClose: () => void;
}

export function RenameDialog({ place, table, onClose }: TableChangeProps) {
  const [name, setName] = useState(table.name);
  const wanted = name.trim();
  const { database } = place;
  return (
    <WriteDialog
      title={`Rename ${database}.${table.name}`}
      action="Rename"
      place={place}
      statement={wanted && wanted !== table.name ? tableRename(place, { database, table: wanted }) : undefined}
      leadsTo={tableAddress(place.catalog, place.branch, database, wanted)}
      gone={tableKey(place)}
      onClose={onClose}
    >
      <Muted as="p">Its rows and its history stay. Views and pipelines that name it find it no longer.</Muted>
      <TextField label="New name" value={name} onChange={setName} isFirst />
    </WriteDialog>
  );
}

export function MoveDialog(given: TableChangeProps) {
  const databases = useDatabases(given.place.catalog, given.place.branch);
  return (
    <Loaded query={databases} label="databases">
      {({ results }) => <MoveForm {...given} others={results.map(({ name }) => name).filter((name) => name !== given.place.database)} />}
    </Loaded>
  );
}

function MoveForm({ place, table, onClose, others }: TableChangeProps & { others: readonly string[] }) {
  const [database, setDatabase] = useState(others[0] ?? "");
  return (
    <WriteDialog
      title={`Move ${place.database}.${table.name}`}
      action="Move"
      place={place}
      statement={database ? tableRename(place, { database, table: table.name }) : undefined}
      leadsTo={tableAddress(place.catalog, place.branch, database, table.name)}
      gone={tableKey(place)}
      onClose={onClose}
    >
      {others.length === 0 ? <p>{place.branch} has no other database. Make one first, on the page of the branch.</p> : null}
      <Field label="To the database">
        <Select value={database} onChange={(event) => setDatabase(event.target.value)}>
          {others.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      </Field>
    </WriteDialog>
  );
}

export function CommentDialog({ place, table, onClose }: TableChangeProps) {
  const [comment, setComment] = useState(table.comment);
  const wanted = comment.trim();
  return (
    <WriteDialog
      title={`Comment on ${place.database}.${table.name}`}
      action="Save the comment"
      place={place}
      statement={wanted === table.comment ? undefined : commentOn("TABLE", tableName(place.database, table.name), wanted)}
      gone={tableKey(place)}
      onClose={onClose}
    >
      <TextField label="Comment" value={comment} onChange={setComment} maxLength={1000} isFirst />
    </WriteDialog>
  );
}

export function PropertyDialog({ place, table, onClose, property = "" }: TableChangeProps & { property?: string }) {
  const [key, setKey] = useState(property);
  const [value, setValue] = useState(table.properties[property] ?? "");
  const wanted = key.trim();
  return (
    <WriteDialog
      title={property ? `Change ${property}` : `Set a property of ${place.database}.${table.name}`}
      action="Set the property"
      place={place}
      statement={wanted && table.properties[wanted] !== value ? propertySet(place, wanted, value) : undefined}
      onClose={onClose}
    >
      {property ? null : <TextField label="Name" value={key} onChange={setKey} isFirst />}
      <TextField label="Value" value={value} onChange={setValue} maxLength={1000} isFirst={property !== ""} />
    </WriteDialog>
  );
}

export function PropertyRemoval({ place, property, onClose }: { place: TablePlace; property: string; onClose: () => void }) {
  return (
    <WriteDialog title={`Remove ${property}`} action="Remove the property" place={place} statement={propertyUnset(place, property)} onClose={onClose}>
      <Muted as="p">The table then follows the default of the catalog.</Muted>
    </WriteDialog>
  );
}

export function PartitionDialog({ place, table, change, onClose }: TableChangeProps & { change: "ADD" | "DROP" }) {
  const [values, setValues] = useState<Record<string, string>>({});
  const isDrop = change === "DROP";
  return (
    <WriteDialog
      title={`${isDrop ? "Drop" : "Add"} a partition of ${place.database}.${table.name}`}
      action={isDrop ? "Drop the partition" : "Add the partition"}
      place={place}
      statement={partitionChange(place, change, table.partition_by.map((column) => [column, values[column] ?? ""]))}
      onClose={onClose}
      isDangerous={isDrop}
    >
      <Muted as="p">
        {isDrop ? "Every row of the partition goes with it. A value that stays empty stands for all." : "A partition can be there before its rows are."}
      </Muted>
      {table.partition_by.map((column, at) => (
        <TextField key={column} label={column} value={values[column] ?? ""} onChange={(value) => setValues({ ...values, [column]: value })} isFirst={at === 0} />
      ))}
    </WriteDialog>
  );
}

export function DropTableDialog({ place, table, onClose }: TableChangeProps) {
  return (
    <WriteDialog
      title={`Drop ${place.database}.${table.name}?`}
      action="Drop the table"
      place={place}
      statement={tableDrop(place)}
      leadsTo={`${branchAddress(place.catalog, place.branch)}?tab=trash`}
      gone={tableKey(place)}
      onClose={onClose}
      isDangerous
    >
      <p>It leaves {place.branch} only. The trash of the branch keeps it, and brings it back with its rows.</p>
    </WriteDialog>
  );
}
