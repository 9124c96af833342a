import { useState } from "react";

import type { ComparedDetail, Role } from "../../api/resources";
import { seenCell, suggestionRefusal, type SeenRow } from "../../model/suggestion";
import { dataPlaceText, threadsOnColumns, threadsOnRow, type Thread } from "../../model/timeline";
import { ON_REQUEST } from "../../queries/comments";
import type { RequestPlace } from "../../queries/requests";
import { CommentForm } from "./comment-form";
import { ThreadView } from "./thread-view";
import { Button } from "../../ui/button";
import { Muted } from "../../ui/muted";
import { Select } from "../../ui/select";

interface TalkProps {
  place: RequestPlace;
  detail: ComparedDetail;
  threads: readonly Thread[];
  role: Role | undefined;
}

/** What people say about a row, and about single values of it. */
export function RowTalk({ rowKey, name, isWriting, seen, ...talk }: TalkProps & { rowKey: string; name: string; isWriting: boolean; seen: SeenRow | undefined }) {
  return <DataTalk {...talk} isWriting={isWriting} seen={seen} threads={threadsOnRow(talk.threads, talk.detail, rowKey)} rowKey={rowKey} columns={columnsOf(talk.detail)} whole="the row" label={`Comment on row ${name}`} />;
}

/** What people say about the columns of a table. */
export function ColumnTalk(talk: TalkProps) {
  return <DataTalk {...talk} threads={threadsOnColumns(talk.threads, talk.detail)} rowKey="" columns={columnsOf(talk.detail)} whole={undefined} label="Comment on a column" />;
}

function columnsOf({ columns }: ComparedDetail): { id: number; name: string }[] {
  return columns.flatMap(({ id, base, source, destination }) => {
    const column = destination ?? source ?? base;
    return column ? [{ id, name: column.name }] : [];
  });
}

function DataTalk({
  place,
  detail,
  threads,
  role,
  rowKey,
  columns,
  whole,
  label,
  isWriting = false,
  seen,
}: TalkProps & {
  rowKey: string;
  columns: readonly { id: number; name: string }[];
  /** What is commented on where no column is chosen; undefined where one must be. */
  whole: string | undefined;
  label: string;
  /** Whether the form is open at first. */
  isWriting?: boolean;
  /** The row as the source has it, where that is known. */
  seen?: SeenRow | undefined;
}) {
  const [isOpen, setOpen] = useState(isWriting);
  const [chosen, setChosen] = useState<number | undefined>(whole === undefined ? columns[0]?.id : undefined);
  const anchor = { ...ON_REQUEST, object_kind: detail.kind, object_id: detail.object_id, row_key: rowKey, column_id: chosen ?? null };
  const column = columns.find(({ id }) => id === chosen)?.name;
  const cell = seenCell(seen, rowKey, column);
  const refusal = suggestionRefusal(seen, rowKey, column);
  const mayTalk = role !== undefined && columns.length > 0;
  if (threads.length === 0 && !mayTalk) return null;
  return (
    <div className="stack tight">
      {threads.map((thread) => (
        <div key={thread.first.id}>
          {thread.first.column_name ? <Muted as="p" isSmall>{dataPlaceText({ ...thread.first, row_key: "" })}</Muted> : null}
          <ThreadView place={place} thread={thread} role={role} />
        </div>
      ))}
      {!mayTalk ? null : isOpen ? (
        <div className="stack tight">
          <label className="row small">
            On
            <Select value={chosen === undefined ? "" : String(chosen)} onChange={(event) => setChosen(event.target.value === "" ? undefined : Number(event.target.value))}>
              {whole === undefined ? null : <option value="">{whole}</option>}
              {columns.map(({ id, name }) => (
                <option key={id} value={String(id)}>
                  {name}
                </option>
              ))}
            </Select>
          </label>
          {refusal === undefined ? null : <Muted as="p" isSmall>{refusal}</Muted>}
          <CommentForm key={chosen ?? "row"} place={place} anchor={anchor} label={label} cell={cell} onDone={() => setOpen(false)} />
        </div>
      ) : (
        <p>
          <Button isSmall onClick={() => setOpen(true)}>
            {label}
          </Button>
        </p>
      )}
    </div>
  );
}
