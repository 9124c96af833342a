import { useCallback, useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { useNavigate } from "react-router";

import { catalogAddress, type AddressPlace } from "../../model/addresses";
import { entriesFound, pageEntries, type Entry } from "../../model/palette-entries";
import { useCatalogs } from "../../queries/catalogs";
import { useSearchEntries } from "../../queries/search";
import { Dialog } from "../../ui/dialog";
import { Input } from "../../ui/field";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";

/** Search over everything with a name; arrows choose, Enter goes there: to the best match of what is typed, found or not yet. */
export function Palette({ place, onClose }: { place: AddressPlace; onClose: () => void }) {
  const navigate = useNavigate();
  const listId = useId();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [isEntered, setEntered] = useState(false);
  const { entries, isComplete } = usePaletteEntries(place, text);
  const chosen = entries[Math.min(at, entries.length - 1)];
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const go = useCallback(
    (entry: Entry) => {
      onClose();
      void navigate(entry.address);
    },
    [onClose, navigate],
  );
  // Who types fast presses Enter before the search has answered; what arrows chose is what was meant.
  useEffect(() => {
    if (isEntered && chosen && (isComplete || at > 0)) go(chosen);
  }, [isEntered, isComplete, at, chosen, go]);
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && entries.length) setAt((at + step + entries.length) % entries.length);
    else if (event.key === "Enter") setEntered(true);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Search" onClose={onClose} className="palette">
      <Input
        role="combobox"
        aria-label="Search branches, tags, databases, tables, columns, merges, pipelines and pages"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={chosen ? `${listId}-${chosen.id}` : undefined}
        placeholder="Branch, table, column, merge, page"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
          setEntered(false);
        }}
        onKeyDown={press}
        // eslint-disable-next-line jsx-a11y/no-autofocus -- a dialog that was opened to type in
        autoFocus
      />
      <div className="palette-list" role="listbox" id={listId} aria-label="Found" ref={list} tabIndex={-1}>
        {entries.map((entry) => (
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- the field keeps the focus and has the keys
          <div
            key={entry.id}
            id={`${listId}-${entry.id}`}
            role="option"
            aria-selected={entry === chosen}
            tabIndex={-1}
            onClick={() => go(entry)}
          >
            <Icon name={entry.icon} size={14} />
            <span className="grow ellipsis">{entry.label}</span>
            <Muted isSmall>{entry.detail}</Muted>
          </div>
        ))}
      </div>
      {isComplete && entries.length === 0 ? <Muted as="p">Nothing has that name.</Muted> : null}
    </Dialog>
  );
}

/** What has the text in its name; `isComplete` once the server has answered for this very text, or cannot. */
function usePaletteEntries({ catalog, branch = "main" }: AddressPlace, text: string): { entries: Entry[]; isComplete: boolean } {
  const catalogs = useCatalogs();
  const search = useSearchEntries(catalog, branch, text);
  const entries = useMemo(() => {
    const names = catalogs.data?.results ?? [];
    const pages = catalog === undefined ? [] : pageEntries(catalog, branch);
    const catalogPages = names.map(
      ({ name }): Entry => ({ id: `catalog:${name}`, label: name, detail: "catalog", address: catalogAddress(name), icon: "database" }),
    );
    return entriesFound([...pages, ...(search.data ?? []), ...catalogPages], text);
  }, [catalog, branch, catalogs.data, search.data, text]);
  return { entries, isComplete: !search.isFetching || !(search.isPending || search.isPlaceholderData) };
}
