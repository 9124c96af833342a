import { isUnsaved } from "../../model/pressed-decisions";
import { counted } from "../../model/format";
import { usePressedDecisions } from "../../queries/resolutions";
import { asProblem } from "../../api/problem";

/** On every page: how many decisions are still on their way, and which could not be saved. */
export default function UnsavedDecisions() {
  const { entries, tryAgain, discard } = usePressedDecisions();
  const unsaved = entries.filter(isUnsaved);
  const failed = unsaved.filter(({ standing }) => standing === "failed");
  return (
    <div className="unsaved" role="status">
      {failed.length > 0 ? (
        <div className="notice conflict">
          <span className="symbol" aria-hidden="true">
            ✕
          </span>
          <strong>{counted(failed.length, "decision")} not saved</strong>
          <p>{asProblem(failed[0]?.error).message}</p>
          <p className="row">
            <button type="button" className="button small" onClick={tryAgain}>
              Try again
            </button>
            <button type="button" className="button small quiet" onClick={discard}>
              Discard
            </button>
          </p>
        </div>
      ) : unsaved.length > 0 ? (
        <p className="small saving">Saving {counted(unsaved.length, "decision")} … Keep this page open.</p>
      ) : null}
    </div>
  );
}
