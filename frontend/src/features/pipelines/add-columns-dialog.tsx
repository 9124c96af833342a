import type { Pipeline } from "../../api/resources";
import { WriteDialog } from "../sql/write-dialog";

/** Columns that a strategy fills and the table lacks: the server says the statement that adds them. */
export default function AddColumnsDialog({ pipeline, statement, onClose }: { pipeline: Pipeline; statement: string; onClose: () => void }) {
  return (
    <WriteDialog title={`Add columns to ${pipeline.database}.${pipeline.table}`} action="Add the columns" place={pipeline} statement={statement} onClose={onClose}>
      <p>Each row of the table becomes the newest version of its key. Retry the run afterwards.</p>
    </WriteDialog>
  );
}
