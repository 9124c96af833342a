import { useState, type SubmitEvent } from "react";

import type { SavedQuery } from "../../api/resources";
import { useSavedQueries, useSavedQueryChange } from "../../queries/saved-queries";
import { userName } from "../../queries/user";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Field, Input } from "../../ui/field";
import { Icon } from "../../ui/icons";
import { Menu } from "../../ui/menu";
import { Muted } from "../../ui/muted";
import { Failure } from "../../ui/states";
import styles from "./saved-queries.module.css";

/** Queries under a name: opened into the editor, saved from it, renamed, shared and removed. */
export function SavedQueries({ catalog, text, onOpen }: { catalog: string; text: string; onOpen: (text: string) => void }) {
  const found = useSavedQueries(catalog);
  const [edited, setEdited] = useState<{ query: SavedQuery | undefined }>();
  const queries = found.data?.pages.flatMap((page) => page.results) ?? [];
  return (
    <span className="row">
      <Button isSmall disabled={text.trim() === ""} onClick={() => setEdited({ query: undefined })}>
        Save query
      </Button>
      {queries.length ? (
        <Menu label="Saved queries" buttonClass="button small" button={<>Saved <Icon name="down" size={12} /></>}>
          {queries.map((query) => (
            <SavedLine key={query.id} query={query} onOpen={() => onOpen(query.text)} onEdit={() => setEdited({ query })} />
          ))}
          {found.hasNextPage ? (
            <button type="button" disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
              More
            </button>
          ) : null}
        </Menu>
      ) : null}
      {found.error ? <span className="small" role="alert">The saved queries could not be read.</span> : null}
      {edited ? <SavedDialog key={edited.query?.id ?? "new"} catalog={catalog} query={edited.query} text={text} onClose={() => setEdited(undefined)} /> : null}
    </span>
  );
}

function SavedLine({ query, onOpen, onEdit }: { query: SavedQuery; onOpen: () => void; onEdit: () => void }) {
  const isOwn = query.owner === userName();
  return (
    <span className={styles.line}>
      <button type="button" className="item" title={query.text} onClick={onOpen}>
        <span className="ellipsis">
          <bdi>{query.name}</bdi> <Muted isSmall>{isOwn ? (query.is_shared ? "shared" : "") : `by ${query.owner}`}</Muted>
        </span>
      </button>
      {isOwn ? (
        <button type="button" className="item small" aria-label={`Edit ${query.name}`} onClick={onEdit}>
          Edit
        </button>
      ) : null}
    </span>
  );
}

/** A new query has the text of the editor; one that is edited keeps its own until that is chosen. */
export function SavedDialog({ catalog, query, text, onClose }: { catalog: string; query: SavedQuery | undefined; text: string; onClose: () => void }) {
  const change = useSavedQueryChange(catalog);
  const [name, setName] = useState(query?.name ?? "");
  const [isShared, setShared] = useState(query?.is_shared ?? false);
  const [takesText, setTakesText] = useState(query === undefined);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const save = { name: name.trim(), text: takesText || !query ? text : query.text, is_shared: isShared };
    change.mutate({ save, shown: query }, { onSuccess: onClose });
  };
  return (
    <Dialog title={query ? `The query ${query.name}` : "Save the query"} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Field label="Name">
          <Input required maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        {query ? (
          <label className="row">
            <input type="checkbox" checked={takesText} disabled={text.trim() === ""} onChange={(event) => setTakesText(event.target.checked)} />
            <span>Replace its text by that of the editor</span>
          </label>
        ) : null}
        <label className="row">
          <input type="checkbox" checked={isShared} onChange={(event) => setShared(event.target.checked)} />
          <span>Share it with everybody who can see {catalog}</span>
        </label>
        <pre className="mono small">{takesText || !query ? text : query.text}</pre>
        {change.error ? <Failure error={change.error} /> : null}
        <div className="actions">
          {query ? (
            <Button look="danger" disabled={change.isPending} onClick={() => change.mutate({ remove: query }, { onSuccess: onClose })}>
              Delete
            </Button>
          ) : null}
          <Button onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" disabled={change.isPending || name.trim() === ""}>
            {change.isPending ? "Saving …" : "Save"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
