import { isUnsaved } from "../../model/pressed-decisions";
import { counted } from "../../model/format";
import { usePressedDecisions } from "../../queries/resolutions";
import { asProblem } from "../../api/problem";
import { Button } from "../../ui/button";

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
            <Button isSmall onClick={tryAgain}>
              Try again
            </Button>
            <Button look="quiet" isSmall onClick={discard}>
              Discard
            </Button>
          </p>
        </div>
      ) : unsaved.length > 0 ? (
        <p className="small saving">Saving {counted(unsaved.length, "decision")} … Keep this page open.</p>
      ) : null}
    </div>
  );
}
