import type { QueryKey } from "@tanstack/react-query";
import { useState, type ReactNode, type SubmitEvent } from "react";
import { useNavigate } from "react-router";

import { taskAddress } from "../../model/addresses";
import { LONGEST_MESSAGE, withMessage } from "../../model/sql";
import { useStatement, type Statement } from "../../queries/statements";
import { Button } from "../../ui/button";
import { Dialog, firstInDialog } from "../../ui/dialog";
import { Field, Input } from "../../ui/field";
import { Failure } from "../../ui/states";

/** A form that writes one statement, and shows it before it runs. */
export function WriteDialog({
  title,
  action,
  place,
  statement: wanted,
  leadsTo,
  gone,
  onClose,
  children,
  wide = false,
  isDangerous = false,
  takesMessage = false,
  surprise,
}: {
  title: string;
  action: string;
  place: Pick<Statement, "catalog" | "branch">;
  /** Undefined while something is missing. */
  statement: string | undefined;
  leadsTo?: string;
  /** What the pages knew of the thing that the statement drops or renames. */
  gone?: QueryKey;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
  isDangerous?: boolean;
  /** Whether the statement makes a commit that a person may say something of. */
  takesMessage?: boolean;
  /** What the person should read before the form goes, of what the statement did; nothing where it did what it should. */
  surprise?: (metrics: Readonly<Record<string, unknown>>) => string | undefined;
}) {
  const navigate = useNavigate();
  const run = useStatement(gone);
  const [outcome, setOutcome] = useState<string>();
  const [message, setMessage] = useState("");
  const statement = wanted === undefined ? undefined : withMessage(wanted, message);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (statement === undefined) return;
    const { catalog, branch } = place;
    run.mutate(
      { catalog, branch, statement },
      {
        onSuccess: (outcome) => {
          const found = outcome.kind === "answer" ? surprise?.(outcome.answer.metrics) : undefined;
          setOutcome(found);
          if (found !== undefined) return;
          onClose();
          const next = outcome.kind === "task" ? taskAddress(outcome.task.id) : leadsTo;
          if (next) void navigate(next);
        },
      },
    );
  };
  return (
    <Dialog title={title} onClose={onClose} className={wide ? "wide" : ""}>
      <form className="stack" onSubmit={submit}>
        {children}
        {takesMessage ? <MessageField value={message} onChange={setMessage} /> : null}
        <pre className="statement-shown" aria-label="The statement that runs">
          <code>{statement ?? "The statement stands here once the form is filled in."}</code>
        </pre>
        {run.error ? <Failure error={run.error} /> : null}
        {outcome === undefined ? null : (
          <p className="notice amber" role="alert">
            {outcome}
          </p>
        )}
        <div className="actions">
          <Button onClick={onClose}>
            {outcome === undefined ? "Cancel" : "Close"}
          </Button>
          {outcome === undefined ? (
            <Button type="submit" look={isDangerous ? "danger" : "primary"} disabled={run.isPending || statement === undefined}>
              {run.isPending ? "Running …" : action}
            </Button>
          ) : null}
        </div>
      </form>
    </Dialog>
  );
}

/** A name or a text of such a form. */
export function TextField({ label, value, onChange, isFirst = false, maxLength = 255 }: { label: string; value: string; onChange: (value: string) => void; isFirst?: boolean; maxLength?: number }) {
  return (
    <Field label={label}>
      <Input
        value={value}
        maxLength={maxLength}
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
        // eslint-disable-next-line jsx-a11y/no-autofocus -- a dialog that was opened to type in
        autoFocus={isFirst}
        ref={isFirst ? firstInDialog : undefined}
      />
    </Field>
  );
}

/** What the history says of a commit. */
export function MessageField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return <TextField label="Message for the history (optional)" value={value} onChange={onChange} maxLength={LONGEST_MESSAGE} />;
}
