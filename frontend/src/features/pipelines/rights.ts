import type { Role } from "../../api/resources";

/** The least roles that the server lets do these things. */
export const MAY_EDIT: Role = "contributor";
export const MAY_SET_POLICY: Role = "maintainer";
