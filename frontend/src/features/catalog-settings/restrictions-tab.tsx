import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { client } from "../../api/client";
import type { Restriction, Role } from "../../api/resources";
import { isAtLeast } from "../../model/roles";
import { refresh } from "../../queries/refresh";
import { useAllRestrictions, type Seen } from "../../queries/restrictions";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { SettingList } from "../../ui/setting-list";
import { Empty, Loaded } from "../../ui/states";
import { RestrictionDialog } from "./restriction-dialog";
import { SeenDialog } from "./seen-rows";

/** Which rows and columns are hidden, and from whom. Who does not see all of them is refused by the server. */
export function RestrictionsTab({ catalog, role }: { catalog: string; role: Role }) {
  const restrictions = useAllRestrictions(catalog);
  const [isAdding, setAdding] = useState(false);
  const [lifted, setLifted] = useState<Restriction>();
  const [looked, setLooked] = useState<Restriction>();
  const mayManage = isAtLeast(role, "owner");
  return (
    <>
      <p className="inside row apart">
        <Muted>
          A restriction holds for a table on every branch and version. Owners see all rows.{mayManage ? "" : " They set restrictions."}
        </Muted>
        {mayManage ? (
          <Button onClick={() => setAdding(true)}>
            <Icon name="plus" />
            Hide rows or a column
          </Button>
        ) : null}
      </p>
      <Loaded query={restrictions} label="the restrictions">
        {({ pages }) => {
          const found = pages.flatMap((page) => page.results);
          if (found.length === 0) return <Empty title="No row or column is hidden" />;
          return (
            <SettingList label="Restrictions">
              {found.map((item) => (
                <RestrictionRow key={item.id} restriction={item} onLook={mayManage ? () => setLooked(item) : undefined} onLift={mayManage ? () => setLifted(item) : undefined} />
              ))}
            </SettingList>
          );
        }}
      </Loaded>
      {restrictions.hasNextPage ? (
        <p className="inside">
          <Button isSmall onClick={() => void restrictions.fetchNextPage()}>
            More restrictions
          </Button>
        </p>
      ) : null}
      {isAdding ? <RestrictionDialog catalog={catalog} onClose={() => setAdding(false)} /> : null}
      {looked ? <SeenDialog catalog={catalog} name={nameOf(looked)} seen={seenOf(looked)} onClose={() => setLooked(undefined)} /> : null}
      {lifted ? <LiftDialog catalog={catalog} restriction={lifted} onClose={() => setLifted(undefined)} /> : null}
    </>
  );
}

function whomOf({ role, group }: Restriction): string {
  return role === null ? `group ${group}` : `role ${role} and below`;
}

/** What its table is called now; where main has none any more, what it was called. */
function nameOf({ table, table_now: now }: Restriction): string {
  return now ?? table;
}

function seenOf({ table_id, role, group }: Restriction): Seen {
  return { branch: "main", table: { table_id }, whom: role === null ? { group: group ?? "" } : { role } };
}

function RestrictionRow({
  restriction,
  onLook,
  onLift,
}: {
  restriction: Restriction;
  onLook: (() => void) | undefined;
  onLift: (() => void) | undefined;
}) {
  const masks = Object.entries(restriction.masks);
  const name = nameOf(restriction);
  return (
    <li>
      <span className="row">
        <Icon name="shield" />
        <code>{name}</code>
        <span>from {whomOf(restriction)}</span>
      </span>
      <span className="small stack">
        {restriction.row_filter ? (
          <span>
            only rows with <code>{restriction.row_filter}</code>
          </span>
        ) : null}
        {masks.map(([column, expression]) => (
          <span key={column}>
            <code>{column}</code> reads as <code>{expression}</code>
          </span>
        ))}
        <Muted>
          set by {restriction.created_by}
          {restriction.table === name ? "" : `, when the table was called ${restriction.table}`}
          {restriction.table_now === null ? "; main does not have the table" : ""}
        </Muted>
      </span>
      <span className="row">
        {onLook ? (
          <Button isSmall onClick={onLook}>
            Preview
            <span className="visually-hidden">
              {" "}
              what {whomOf(restriction)} sees of {name}
            </span>
          </Button>
        ) : null}
        {onLift ? (
          <Button isSmall onClick={onLift}>
            Lift
            <span className="visually-hidden">
              {" "}
              what is hidden of {name} from {whomOf(restriction)}
            </span>
          </Button>
        ) : null}
      </span>
    </li>
  );
}

function LiftDialog({ catalog, restriction, onClose }: { catalog: string; restriction: Restriction; onClose: () => void }) {
  const queries = useQueryClient();
  const lift = useMutation({
    mutationFn: async () => {
      await client.DELETE("/api/v1/catalogs/{catalog}/restrictions/{restriction_id}/", { params: { path: { catalog, restriction_id: restriction.id } } });
    },
    onSettled: () => refresh(queries, ["catalog", catalog]),
  });
  return (
    <ConfirmDialog
      title={`Show all of ${nameOf(restriction)}?`}
      action="Lift the restriction"
      working="Lifting …"
      isDangerous
      run={lift}
      onConfirm={() => lift.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        From then on {whomOf(restriction)} sees all rows and columns of {nameOf(restriction)}. The audit records who lifted it.
      </p>
    </ConfirmDialog>
  );
}
