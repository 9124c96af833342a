/** What a dry run says of a merge of its branch to the parent. */
export interface ParentMerge {
  branch: string;
  mergeable: boolean;
  conflicts: readonly Counted[];
  notes: readonly Counted[];
  refused?: { code: string; message: string; remedy: string };
}

interface Counted {
  code: string;
  object: string;
  count: number;
}

/** One sentence, and below it one line a conflict or note. */
export function parentMergeLines({ branch, mergeable, conflicts, notes, refused }: ParentMerge): [string, ...string[]] {
  if (refused) return [`A merge to ${branch} would then be refused.`, refused.message];
  const lines = [...conflicts, ...notes].map(({ code, object, count }) => `${code} of ${object}: ${count}`);
  return [`A merge to ${branch} would then have ${mergeable ? "no conflict" : "conflicts"}.`, ...lines];
}
