/** What a protection of branches asks, in words. */
import type { Protection, ProtectionChoice, TableOwners } from "../api/resources";
import { counted } from "./format";
import { policiesText } from "./policies";

/** `2 approvals, check no_nulls, merged by a maintainer, no direct writes`. */
export function protectionText(rule: Omit<Protection, "is_protected" | "patterns">): string {
  const checks = rule.required_checks ?? [];
  const statuses = rule.required_statuses ?? [];
  const parts = [
    approvalsText(rule),
    checks.length ? `${checks.length === 1 ? "check" : "checks"} ${checks.join(", ")}` : "",
    statuses.length ? `${statuses.length === 1 ? "status" : "statuses"} ${statuses.join(", ")}` : "",
    `merged by ${withArticle(rule.merge_role)} or above`,
    rule.refuse_direct_merges ? "merge requests only" : "",
    rule.refuse_direct_writes ? "no direct writes" : "",
    rule.refuse_deletion ? "cannot be dropped or renamed" : "",
    rule.refuse_stale_reads ? "no stale reads" : "",
    rule.allow_queue_unchanged ? "" : "a queued request stops at each new commit on the branch",
    rule.owners?.length ? (rule.require_owner_approval ? "an approval of an owner of each table" : "owners are asked") : "",
    rule.allow_bypass ? "" : "no bypass",
  ];
  return parts.filter(Boolean).join(", ");
}

function approvalsText(rule: Omit<Protection, "is_protected" | "patterns">): string {
  const policies = rule.policies ?? [];
  if (policies.length) return `policies ${policiesText(policies)}, else ${counted(Math.max(1, rule.required_approvals), "approval")}`;
  return rule.required_approvals ? counted(rule.required_approvals, "approval") : "";
}

/** Whether only a merge request gets in: nothing else has approvals, checks, statuses or a judged plan. */
export function takesRequestsOnly(protection: Protection): boolean {
  const asked = [...(protection.required_checks ?? []), ...(protection.required_statuses ?? []), ...(protection.policies ?? [])];
  const byOwners = protection.require_owner_approval && (protection.owners ?? []).length > 0;
  return byOwners || protection.refuse_direct_merges || protection.required_approvals > 0 || asked.length > 0;
}

export const NEW_RULE: ProtectionChoice = {
  pattern: "main",
  required_approvals: 1,
  required_checks: [],
  required_statuses: [],
  merge_role: "maintainer",
  refuse_direct_writes: true,
  refuse_direct_merges: true,
  refuse_deletion: true,
  refuse_stale_reads: false,
  allow_queue_unchanged: true,
  allow_bypass: true,
  policies: [],
  owners: [],
  require_owner_approval: false,
};

/** Owners as lines of a file CODEOWNERS: `sales.* ada @stewards`. */
export function ownersText(owners: readonly TableOwners[]): string {
  return owners.map(({ pattern, people = [], groups = [] }) => [pattern, ...people, ...groups.map((name) => `@${name}`)].join(" ")).join("\n");
}

/** What such lines say; empty lines say nothing. */
export function ownersOf(text: string): TableOwners[] {
  return text
    .split("\n")
    .map((line) => line.split(/\s+/).filter(Boolean))
    .flatMap(([pattern, ...names]) =>
      pattern === undefined
        ? []
        : [{ pattern, people: names.filter((name) => !name.startsWith("@")), groups: names.filter((name) => name.startsWith("@")).map((name) => name.slice(1)) }],
    );
}

function withArticle(role: string): string {
  return /^[aeiou]/.test(role) ? `an ${role}` : `a ${role}`;
}
