import { useState, type SubmitEvent } from "react";

import type { RequestDetail } from "../../api/resources";
import { useRequestEdit, type RequestPlace } from "../../queries/requests";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Failure } from "../../ui/states";
import { RequestFields } from "./request-fields";

export function EditDialog({ place, request, onClose }: { place: RequestPlace; request: RequestDetail; onClose: () => void }) {
  const edit = useRequestEdit(place);
  const [text, setText] = useState({
    title: request.title,
    description: request.description,
    labels: request.labels,
    reviewers: request.reviewers,
  });
  // What was opened is what is changed: a request that others changed meanwhile is refused, not overwritten.
  const [revision] = useState(request.revision);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    edit.mutate({ ...text, title: text.title.trim(), revision }, { onSuccess: onClose });
  };
  return (
    <Dialog title={`Edit #${request.number}`} onClose={onClose} className="wide">
      <form className="stack" onSubmit={submit}>
        <RequestFields catalog={place.catalog} author={request.author} value={text} onChange={setText} />
        {edit.error ? <Failure error={edit.error} /> : null}
        <div className="actions">
          <Button onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" disabled={edit.isPending || text.title.trim() === ""}>
            {edit.isPending ? "Saving …" : "Save"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
