import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { ownKey } from "../../model/own-storage";
import type { PlacedStatement } from "../../model/statements";
import { branchesWritten } from "../../model/written-branches";
import { branchQuery } from "../../queries/catalogs";
import { protectionQuery } from "../../queries/protection";
import { userName } from "../../queries/user";
import type { RunPlace } from "./use-runs";

/** A branch on which a write is confirmed first, and why. */
export interface Guarded {
  name: string;
  why: string;
}

interface Question {
  place: RunPlace;
  branches: readonly Guarded[];
  statements: readonly PlacedStatement[];
}

/** Starts statements, after one question for each default or protected branch that they write. Statements that only read
 * start at once. */
export function useWriteQuestion(start: (statements: readonly PlacedStatement[]) => void) {
  const queries = useQueryClient();
  const [question, setQuestion] = useState<Question>();
  const [isLooking, setLooking] = useState(false);
  const begin = (statements: readonly PlacedStatement[], place: RunPlace) => {
    const texts = statements.map(({ text }) => text);
    const unasked = branchesWritten(texts, place.branch).filter((branch) => !isConfirmed({ ...place, branch }));
    if (unasked.length === 0) {
      start(statements);
      return;
    }
    setLooking(true);
    void guardedOf(queries, place.catalog, unasked)
      .then((branches) => {
        if (branches.length === 0) start(statements);
        else setQuestion({ place, branches, statements });
      })
      .finally(() => setLooking(false));
  };
  const answer = (isKept: boolean) => {
    if (question === undefined) return;
    for (const { name } of question.branches) confirm({ ...question.place, branch: name }, isKept);
    setQuestion(undefined);
    start(question.statements);
  };
  return { begin, question, isLooking, answer, close: () => setQuestion(undefined) };
}

/** Where it cannot be found out what a branch is, no question is asked: the server judges the write. */
async function guardedOf(queries: QueryClient, catalog: string, branches: readonly string[]): Promise<Guarded[]> {
  const found = await Promise.all(
    branches.map(async (name) => {
      const [branch, protection] = await Promise.all([
        queries.query({ ...branchQuery(catalog, name), retry: false, staleTime: 60_000 }).catch(() => undefined),
        queries.query({ ...protectionQuery(catalog, name), retry: false, staleTime: 60_000 }).catch(() => undefined),
      ]);
      const why = [branch?.is_main ? "the default branch" : "", protection?.is_protected ? "protected" : ""].filter(Boolean).join(" and ");
      return why ? [{ name, why }] : [];
    }),
  );
  return found.flat();
}

/** In the tab for its session; in the browser where it is not to be asked again. */
function isConfirmed(place: RunPlace): boolean {
  const key = keyOf(place);
  return sessionStorage.getItem(key) !== null || localStorage.getItem(key) !== null;
}

function confirm(place: RunPlace, isKept: boolean): void {
  try {
    (isKept ? localStorage : sessionStorage).setItem(keyOf(place), "1");
  } catch {
    // No room: it is asked again.
  }
}

function keyOf({ catalog, branch }: RunPlace): string {
  return ownKey(userName(), `writes.${JSON.stringify([catalog, branch])}`);
}
