import { useState } from "react";

import type { KeptStatement } from "../../api/resources";
import { counted, duration } from "../../model/format";
import { useKeptStatements, useStatementsDelete, type StatementChoice } from "../../queries/statement-history";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Dialog } from "../../ui/dialog";
import { Muted } from "../../ui/muted";
import { SearchField } from "../../ui/search-field";
import { Empty, Failure, Loading } from "../../ui/states";
import { Time } from "../../ui/time";
import { SavedDialog } from "./saved-queries";
import styles from "./statement-history.module.css";

interface Uses {
  onOpen: (text: string) => void;
  onRun: (text: string) => void;
}

interface EntryUses extends Uses {
  onSave: (text: string) => void;
}

/** A button that opens the statements that the person ran here: found, opened, run again, saved under a name, deleted. */
export function StatementHistory({ catalog, branch, ...uses }: { catalog: string; branch: string } & Uses) {
  const [isOpen, setOpen] = useState(false);
  const [saved, setSaved] = useState<string>();
  const close = () => setOpen(false);
  return (
    <>
      <Button isSmall aria-label="Earlier statements" title="Earlier statements" onClick={() => setOpen(true)}>
        History
      </Button>
      {isOpen ? <HistoryDialog catalog={catalog} branch={branch} uses={{ ...uses, onSave: setSaved }} onClose={close} /> : null}
      {saved === undefined ? null : <SavedDialog catalog={catalog} query={undefined} text={saved} onClose={() => setSaved(undefined)} />}
    </>
  );
}

function HistoryDialog({ catalog, branch, uses, onClose }: { catalog: string; branch: string; uses: EntryUses; onClose: () => void }) {
  const [choice, setChoice] = useState<StatementChoice>({ catalog, branch: "", outcome: "", search: "" });
  const [isDeleting, setDeleting] = useState(false);
  const remove = useStatementsDelete(catalog);
  const found = useKeptStatements(choice);
  const kept = found.data?.pages.flatMap((page) => page.results) ?? [];
  const use = (act: (text: string) => void) => (text: string) => {
    onClose();
    act(text);
  };
  if (isDeleting) {
    const chosen = choice.branch || choice.outcome || choice.search ? "the statements that are chosen" : `all statements on ${catalog}`;
    return (
      <ConfirmDialog
        title="Delete from the history" action="Delete" working="Deleting …" isDangerous run={remove} onClose={() => setDeleting(false)}
        onConfirm={() => remove.mutate({ all: choice }, { onSuccess: () => setDeleting(false) })}
      >
        <p>This deletes {chosen} from your history. What they did stays.</p>
      </ConfirmDialog>
    );
  }
  return (
    <Dialog title="Earlier statements" className="wide" onClose={onClose}>
      <Choice choice={choice} branch={branch} onChange={setChoice} />
      {found.isPending ? <Loading label="the history" /> : null}
      {found.error ?? remove.error ? <Failure error={found.error ?? remove.error} /> : null}
      {found.isSuccess && kept.length === 0 ? <Empty title="No statement is kept">One that may hold a password or a token never is.</Empty> : null}
      <ul className={styles.statements} aria-label="Statements">
        {kept.map((entry) => (
          <Entry
            key={entry.id} entry={entry} isBusy={remove.isPending} onDelete={() => remove.mutate({ one: entry })}
            uses={{ onOpen: use(uses.onOpen), onRun: use(uses.onRun), onSave: use(uses.onSave) }}
          />
        ))}
      </ul>
      <div className="actions">
        {found.hasNextPage ? (
          <Button disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            More
          </Button>
        ) : null}
        <Button look="danger" disabled={kept.length === 0} onClick={() => setDeleting(true)}>
          Delete all …
        </Button>
        <Button onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

function Choice({ choice, branch, onChange }: { choice: StatementChoice; branch: string; onChange: (choice: StatementChoice) => void }) {
  return (
    <div className="row">
      <SearchField label="Find in the statements" text={choice.search} onSearch={(search) => onChange({ ...choice, search })} />
      <label className="row">
        <input type="checkbox" checked={choice.branch !== ""} onChange={(event) => onChange({ ...choice, branch: event.target.checked ? branch : "" })} />
        <span>
          on <bdi>{branch}</bdi> only
        </span>
      </label>
      <label className="row">
        <input type="checkbox" checked={choice.outcome !== ""} onChange={(event) => onChange({ ...choice, outcome: event.target.checked ? "OK" : "" })} />
        <span>without those that failed</span>
      </label>
    </div>
  );
}

function Entry({ entry, uses, isBusy, onDelete }: { entry: KeptStatement; uses: EntryUses; isBusy: boolean; onDelete: () => void }) {
  const short = entry.text.replaceAll(/\s+/g, " ");
  const isCut = entry.is_cut ? "Only the beginning of this statement is kept" : undefined;
  return (
    <li>
      <button type="button" className="item mono small" title={entry.text} onClick={() => uses.onOpen(entry.text)}>
        <span className="ellipsis">{short}</span>
      </button>
      <span className="row apart small">
        <Muted>
          <Time at={entry.created_at} /> · <bdi>{entry.branch}</bdi> · <Outcome entry={entry} />
        </Muted>
        <span className="row">
          <Button isSmall disabled={entry.is_cut} title={isCut} onClick={() => uses.onRun(entry.text)}>
            Run again
          </Button>
          <Button isSmall disabled={entry.is_cut} title={isCut} onClick={() => uses.onSave(entry.text)}>
            Save query
          </Button>
          <Button isSmall disabled={isBusy} aria-label={`Delete ${short.slice(0, 60)}`} onClick={onDelete}>
            Delete
          </Button>
        </span>
      </span>
    </li>
  );
}

function Outcome({ entry }: { entry: KeptStatement }) {
  if (entry.outcome === null) return <>its task has not ended</>;
  const took = entry.milliseconds === null ? "" : ` in ${duration(entry.milliseconds)}`;
  if (entry.outcome !== "OK") return <>{`${entry.outcome === "QUERY_CANCELLED" ? "cancelled" : `failed with ${entry.outcome}`}${took}`}</>;
  return <>{`${entry.row_count === null ? "done" : counted(entry.row_count, "row")}${took}`}</>;
}
