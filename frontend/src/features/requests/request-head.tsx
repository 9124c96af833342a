import { useState } from "react";

import type { RequestDetail, Role } from "../../api/resources";
import { inOrder } from "../../model/reading-order";
import { isWithPeople, sourceName } from "../../model/review";
import { isAtLeast } from "../../model/roles";
import { useRequestEdit, type RequestPlace } from "../../queries/requests";
import { userName } from "../../queries/user";
import { BranchLink } from "../../ui/branch-name";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { PageHead } from "../../ui/page";
import { Failure } from "../../ui/states";
import { Time } from "../../ui/time";
import { Undone } from "../merges/undone";
import { EditDialog } from "./edit-dialog";
import { MergeAgain } from "./merge-again";
import { StateBadge } from "./state-badge";
import todoList from "./todo.module.css";

/** What the request wants, how it stands, and what its decisions leave out. */
export function RequestHead({ place, request, role }: { place: RequestPlace; request: RequestDetail; role: Role | undefined }) {
  const mayManage = request.author === userName() ? isAtLeast(role, "contributor") : isAtLeast(role, "maintainer");
  const source = sourceName(request);
  return (
    <>
      <PageHead title={`${request.title} #${request.number}`} actions={mayManage ? <Actions place={place} request={request} /> : null}>
        <bdi>{request.title}</bdi> <Muted>#{request.number}</Muted>
      </PageHead>
      <p className="row">
        <StateBadge state={request.state} />
        <BranchLink catalog={request.source.catalog} branch={request.source.name} />
        <Icon name="right" />
        <span className="visually-hidden">into</span>
        <BranchLink catalog={place.catalog} branch={request.destination.name} />
        {request.state === "merged" ? null : (
          <Muted isSmall>
            {source} <code>v{request.source.head_version}</code>, {request.destination.name} <code>v{request.destination.head_version}</code>
          </Muted>
        )}
        <Muted isSmall>
          {request.author}, <Time at={request.created_at} />
        </Muted>
      </p>
      {request.undone_by ? (
        <Undone undone={request.undone_by} action={<MergeAgain place={place} request={request} undone={request.undone_by} />} />
      ) : null}
      <LeftOut request={request} />
    </>
  );
}

/** What the decisions of the request leave out: what whoever approves and merges it agrees to. */
function LeftOut({ request }: { request: RequestDetail }) {
  if (request.left_out.length === 0) return null;
  return (
    <div className="notice conflict">
      <span className="symbol" aria-hidden="true">
        ◆
      </span>
      <strong>{request.state === "merged" ? "Decisions left out" : "Decisions leave out"} changes of one branch</strong>
      <ul className={todoList.list} aria-label="What decisions leave out">
        {request.left_out.map((item) => (
          <li key={`${item.object} ${item.text}`}>
            {inOrder(item.object)}: {item.text}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Actions({ place, request }: { place: RequestPlace; request: RequestDetail }) {
  const edit = useRequestEdit(place);
  const [asked, setAsked] = useState<"edit" | "close">();
  const { revision, state } = request;
  const set = (wanted: "draft" | "open") => edit.mutate({ state: wanted, revision });
  return (
    <>
      {isWithPeople(state) ? (
        <>
          <Button onClick={() => setAsked("edit")}>
            Edit
          </Button>
          <Button look={state === "draft" ? "primary" : undefined} disabled={edit.isPending} onClick={() => set(state === "draft" ? "open" : "draft")}>
            {state === "draft" ? "Mark as ready" : "Back to draft"}
          </Button>
          <Button onClick={() => setAsked("close")}>
            Close
          </Button>
        </>
      ) : null}
      {state === "closed" ? (
        <Button disabled={edit.isPending} onClick={() => set("open")}>
          Reopen
        </Button>
      ) : null}
      {edit.error && asked === undefined ? <Failure error={edit.error} /> : null}
      {asked === "edit" ? <EditDialog place={place} request={request} onClose={() => setAsked(undefined)} /> : null}
      {asked === "close" ? (
        <ConfirmDialog
          title={`Close #${request.number}?`}
          action="Close the request"
          working="Closing …"
          run={edit}
          onConfirm={() => edit.mutate({ state: "closed", revision }, { onSuccess: () => setAsked(undefined) })}
          onClose={() => setAsked(undefined)}
        >
          <p>Nothing is merged, and both branches stay as they are. It can be reopened.</p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}
