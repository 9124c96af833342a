import { useState, type SubmitEvent } from "react";
import { useNavigate } from "react-router";

import { branchAddress } from "../../model/addresses";
import { branchCreate, branchDrop, branchExpiry, branchRename, branchUndrop } from "../../model/sql";
import { useStatement } from "../../queries/statements";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Field, Input } from "../../ui/field";
import { Muted } from "../../ui/muted";
import { Select } from "../../ui/select";
import { Failure } from "../../ui/states";
import { Time } from "../../ui/time";

/** What a person wants to do with a branch. */
export type BranchIntent =
  | { kind: "create"; from: string; version?: number }
  | { kind: "rename" | "drop"; name: string }
  | { kind: "undrop"; name: string; id: number }
  | { kind: "expiry"; name: string; present: string | null };

interface Wording {
  title: string;
  explanation: string;
  button: string;
  needsName: boolean;
  isDangerous?: boolean;
}

/** Lengths that are offered; another, or a time, is set by SQL. */
const EXPIRIES = ["1 day", "3 days", "7 days", "30 days", "90 days"] as const;

export function BranchDialog({
  catalog,
  intent,
  onClose,
}: {
  catalog: string;
  intent: BranchIntent;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  const run = useStatement();
  const [name, setName] = useState(intent.kind === "rename" || intent.kind === "undrop" ? intent.name : "");
  const [expires, setExpires] = useState("");
  const words = wording(intent);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const branch = intent.kind === "create" ? intent.from : "main";
    run.mutate(
      { catalog, branch, statement: statementOf(intent, name.trim(), expires) },
      {
        onSuccess: () => {
          onClose();
          if (intent.kind === "create") void navigate(branchAddress(catalog, name.trim()));
        },
      },
    );
  };
  return (
    <Dialog title={words.title} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Muted as="p">{words.explanation}</Muted>
        {words.needsName ? (
          <Field label="Name">
            <Input
              value={name}
              onChange={(event) => setName(event.target.value)}
              required
              maxLength={255}
              spellCheck={false}
              // eslint-disable-next-line jsx-a11y/no-autofocus -- a dialog that was opened to type in
              autoFocus
            />
          </Field>
        ) : null}
        {intent.kind === "create" || intent.kind === "expiry" ? (
          <Field label="Expires">
            <Select value={expires} onChange={(event) => setExpires(event.target.value)}>
              <option value="">never</option>
              {EXPIRIES.map((length) => (
                <option key={length} value={length}>
                  in {length}
                </option>
              ))}
            </Select>
          </Field>
        ) : null}
        {intent.kind === "expiry" && intent.present ? (
          <Muted as="p" isSmall>
            Now it expires <Time at={intent.present} />.
          </Muted>
        ) : null}
        {run.error ? <Failure error={run.error} /> : null}
        <div className="actions">
          <Button onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            look={words.isDangerous ? "danger" : "primary"}
            disabled={run.isPending || (words.needsName && name.trim() === "")}
          >
            {words.button}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function wording(intent: BranchIntent): Wording {
  switch (intent.kind) {
    case "create": {
      const at = intent.version === undefined ? "the head" : `version ${intent.version}`;
      return {
        title: `New branch from ${intent.from}`,
        explanation: `Starts at ${at} of ${intent.from}. No data is copied.`,
        button: "Create",
        needsName: true,
      };
    }
    case "rename":
      return { title: `Rename ${intent.name}`, explanation: "Its history stays.", button: "Rename", needsName: true };
    case "drop":
      return {
        title: `Drop ${intent.name}?`,
        explanation: "It can be undropped from the list of dropped branches.",
        button: "Drop",
        needsName: false,
        isDangerous: true,
      };
    case "expiry":
      return {
        title: `When ${intent.name} expires`,
        explanation: "It is dropped then, and can be undropped.",
        button: "Set",
        needsName: false,
      };
    case "undrop":
      return {
        title: `Undrop ${intent.name}`,
        explanation: "It comes back as it was. Where another branch has its name, it gets a new one.",
        button: "Undrop",
        needsName: true,
      };
  }
}

function statementOf(intent: BranchIntent, name: string, expires: string): string {
  switch (intent.kind) {
    case "create":
      return branchCreate(name, intent.from, intent.version, expires);
    case "rename":
      return branchRename(intent.name, name);
    case "drop":
      return branchDrop(intent.name);
    case "expiry":
      return branchExpiry(intent.name, expires);
    case "undrop":
      return branchUndrop(intent.name, intent.id, name === intent.name ? "" : name);
  }
}
