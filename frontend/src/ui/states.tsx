import type { ReactNode } from "react";

import { asProblem, type Problem } from "../api/problem";
import { Button } from "./button";
import { Copyable } from "./copyable";
import { Muted } from "./muted";
import { PageHead } from "./page";
import "../styles/states.css";

interface Loadable<Data> {
  data: Data | undefined;
  error: Error | null;
  refetch: () => unknown;
}

/** What a query has: its data once it was loaded (and from then on, also while it is asked anew), else why not. */
export function Loaded<Data>({
  query,
  label,
  heading,
  children,
}: {
  query: Loadable<Data>;
  /** The head of a page that has none until it was loaded: it stands above what failed. */
  heading?: string;
  /** What is being loaded, for a screen reader. */
  label: string;
  children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error)
    return (
      <>
        {heading ? <PageHead title={heading} /> : null}
        <Failure error={query.error} retry={() => void query.refetch()} />
      </>
    );
  return <Loading label={label} />;
}

export function Loading({ label }: { label: string }) {
  return (
    <div className="loading" role="status">
      <span className="visually-hidden">Loading {label}</span>
      <span className="working" />
      <span className="working" />
      <span className="working" />
    </div>
  );
}

/** What went wrong, what to do, and the id to find it in the log by. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const problem = asProblem(error);
  return (
    <div className="notice conflict" role="alert">
      <span className="symbol" aria-hidden="true">
        ✕
      </span>
      <strong>{problem.title}</strong>
      <p>{problem.message}</p>
      {problem.remedy ? <p>{problem.remedy}</p> : null}
      {problem.errorId ? (
        <Muted as="p" isSmall>
          Error id <Copyable text={problem.errorId} label="the error id" />
        </Muted>
      ) : null}
      <FailureActions problem={problem} {...(retry ? { retry } : {})} />
    </div>
  );
}

function FailureActions({ problem, retry }: { problem: Problem; retry?: () => void }) {
  if (problem.status === 401 || problem.code === "UNAUTHENTICATED") {
    const next = encodeURIComponent(window.location.pathname + window.location.search);
    return (
      <p className="row">
        <a className="button small" href={`/login/?next=${next}`}>
          Sign in again
        </a>
      </p>
    );
  }
  if (!retry || problem.status === 403 || problem.status === 404) return null;
  return (
    <p className="row">
      <Button isSmall onClick={retry}>
        Try again
      </Button>
    </p>
  );
}

/** Nothing is there: say why, and what could be done. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {children}
    </div>
  );
}
