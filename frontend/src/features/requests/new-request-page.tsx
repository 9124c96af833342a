import { useState, type SubmitEvent } from "react";
import { Link, useNavigate, useParams, useSearchParams } from "react-router";

import { compareAddress, requestAddress } from "../../model/addresses";
import { useComparison } from "../../queries/compare";
import { useRequestOpen } from "../../queries/requests";
import { userName } from "../../queries/user";
import { classes } from "../../ui/classes";
import { Button } from "../../ui/button";
import { PageHead, Panel } from "../../ui/page";
import { Failure, Loaded } from "../../ui/states";
import { BranchField } from "../compare/branch-field";
import { SummaryLine } from "../compare/summary-line";
import { ProtectionLine } from "./protection-line";
import { RequestFields, type RequestText } from "./request-fields";
import styles from "./new-request-page.module.css";

/** Ask for a merge. Which branches stands in the address. */
export function NewRequestPage() {
  const { catalog = "" } = useParams();
  const [query, setQuery] = useSearchParams();
  const source = query.get("source") ?? "";
  const destination = query.get("destination") ?? "main";
  const set = (name: string, value: string) =>
    setQuery(
      (before) => {
        before.set(name, value);
        return before;
      },
      { replace: true },
    );
  return (
    <div className="page">
      <PageHead title="New merge request" />
      <Panel padded>
        <div className="row pair-form">
          <BranchField catalog={catalog} label="Merge" value={source} onChange={(name) => set("source", name)} />
          <BranchField catalog={catalog} label="into" value={destination} onChange={(name) => set("destination", name)} />
        </div>
        {source && source !== destination ? <WhatItBrings catalog={catalog} source={source} destination={destination} /> : null}
      </Panel>
      <RequestForm key={`${source} ${destination}`} catalog={catalog} source={source} destination={destination} />
    </div>
  );
}

function WhatItBrings({ catalog, source, destination }: { catalog: string; source: string; destination: string }) {
  const comparison = useComparison({ catalog, source, destination }, { limit: 1 });
  return (
    <div className={classes("stack tight", styles.brings)}>
      <Loaded query={comparison} label="what it brings">
        {({ pages: [summary] }) => (
          <>
            {summary ? <SummaryLine summary={summary} /> : null}
            {summary?.is_empty ? <p>Already up to date: {destination} has every commit of {source}.</p> : null}
          </>
        )}
      </Loaded>
      <ProtectionLine catalog={catalog} branch={destination} />
      <p className="small">
        <Link to={compareAddress(catalog, source, destination)}>Look at the comparison</Link>
      </p>
    </div>
  );
}

function RequestForm({ catalog, source, destination }: { catalog: string; source: string; destination: string }) {
  const navigate = useNavigate();
  const open = useRequestOpen(catalog);
  const [text, setText] = useState<RequestText>({ title: source ? `Merge ${source} into ${destination}` : "", description: "", labels: [], reviewers: [] });
  const [isDraft, setDraft] = useState(false);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    open.mutate(
      { source, destination, draft: isDraft, ...text, title: text.title.trim() },
      { onSuccess: (made) => void navigate(requestAddress(catalog, made.number)) },
    );
  };
  const isComplete = source !== "" && source !== destination && text.title.trim() !== "";
  return (
    <Panel padded>
      <form className="stack" onSubmit={submit}>
        <RequestFields catalog={catalog} author={userName()} value={text} onChange={setText} />
        <label className="row">
          <input type="checkbox" checked={isDraft} onChange={(event) => setDraft(event.target.checked)} />
          <span>Draft: people can look and comment, and cannot approve yet</span>
        </label>
        {open.error ? <Failure error={open.error} /> : null}
        <div className="row">
          <Button type="submit" look="primary" disabled={!isComplete || open.isPending}>
            {open.isPending ? "Opening …" : "Open the merge request"}
          </Button>
        </div>
      </form>
    </Panel>
  );
}
