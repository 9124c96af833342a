import { whomText } from "../../model/restrictions";
import { useRestrictionPreview, type Seen } from "../../queries/restrictions";
import { Dialog } from "../../ui/dialog";
import { ResultGrid } from "../../ui/result-grid";
import { Failure } from "../../ui/states";

type Preview = ReturnType<typeof useRestrictionPreview>;

/** The rows that others see, as they were asked for; nothing where something else is asked for by now. */
export function SeenRows({ preview, seen }: { preview: Preview; seen: Seen }) {
  if (JSON.stringify(preview.variables) !== JSON.stringify(seen)) return null;
  if (preview.error) return <Failure error={preview.error} />;
  if (!preview.data) return null;
  const { columns, rows, truncated } = preview.data;
  const count = rows.length === 1 ? "1 row" : `${rows.length} rows`;
  return (
    <section className="stack" aria-live="polite">
      <p>
        {rows.length === 0 ? `${whomText(seen.whom)} sees no row.` : `${whomText(seen.whom)} sees this${truncated ? `; the first ${count}` : `: ${count}`}.`}
      </p>
      {rows.length > 0 ? <ResultGrid label="Rows as they are seen" columns={columns} rows={rows} height="40vh" /> : null}
    </section>
  );
}

/** What a restriction that is set leaves of its table. */
export function SeenDialog({ catalog, seen, onClose }: { catalog: string; seen: Seen; onClose: () => void }) {
  const preview = useRestrictionPreview(catalog);
  return (
    <Dialog title={`${seen.database}.${seen.table} as ${whomText(seen.whom)} sees it`} onClose={onClose} className="wide">
      <div className="stack">
        <p className="muted">With all that is hidden from them, on branch main.</p>
        <SeenRows preview={preview} seen={seen} />
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            Close
          </button>
          <button type="button" className="button primary" disabled={preview.isPending} onClick={() => preview.mutate(seen)}>
            {preview.isPending ? "Reading …" : "Show rows"}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
