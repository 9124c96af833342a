/** What somebody may do in a catalog. Each role may do all that the roles before it may; the server decides. */
import type { Role } from "../api/resources";

export const ROLES: readonly Role[] = ["viewer", "contributor", "reviewer", "maintainer", "owner"];

/** What a role adds to the one before it. */
export const ROLE_MEANINGS: Record<Role, string> = {
  viewer: "looks at everything, and comments",
  contributor: "writes, makes branches, opens merge requests, merges where no protection refuses",
  reviewer: "approves merge requests, or asks for changes",
  maintainer: "manages checks and the merge requests of others",
  owner: "manages members, protection and webhooks, and may bypass it with a reason",
};

/** Unknown as long as the catalog has not been loaded: then nothing is offered. */
export function isAtLeast(role: Role | undefined, least: Role): boolean {
  return role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(least);
}
