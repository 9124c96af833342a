import type { ReactNode } from "react";
import { Link } from "react-router";

import type { RequestDetail } from "../../api/resources";
import { mergeAddress } from "../../model/addresses";
import { Time } from "../../ui/time";

/** That a merge was reverted, by whom and in which version. */
export function Undone({ undone, action, children }: { undone: NonNullable<RequestDetail["undone_by"]>; action?: ReactNode; children?: ReactNode }) {
  return (
    <div className="notice amber">
      <span className="symbol" aria-hidden="true">
        ↶
      </span>
      <p>
        This merge was reverted by{" "}
        <Link to={mergeAddress(undone.audit_id)}>
          version <code>v{undone.version}</code>
        </Link>{" "}
        ({undone.actor ? `${undone.actor}, ` : ""}
        <Time at={undone.time} />). {children}
      </p>
      {action ? <div className="row">{action}</div> : null}
    </div>
  );
}
