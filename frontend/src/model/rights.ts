/** Records of rights in words. */
interface RightsChange {
  subject: string;
  catalog: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

export function rightsSentence({ subject, catalog, before, after }: RightsChange): string {
  const was = before ?? {};
  const is = after ?? {};
  switch (subject) {
    case "role":
    case "role of a group": {
      const where = catalog === null ? "" : ` of ${catalog}`;
      if (after === null) return `is no ${text(was.role)}${where} any more`;
      return `is ${text(is.role)}${where}${before === null ? "" : `, was ${text(was.role)}`}`;
    }
    case "group member":
      return after === null ? `left the group ${text(was.group)}` : `entered the group ${text(is.group)}`;
    case "group":
      return after === null ? "group removed" : "group made";
    case "link":
      return "link for a password made";
    case "password":
      return is.by === "link" ? "password chosen by link" : "password changed";
    case "session":
      return "session ended";
    case "account":
      return before === null ? "account made" : accountChange(was, is);
    default:
      return subject;
  }
}

function accountChange(was: Record<string, unknown>, is: Record<string, unknown>): string {
  return Object.keys(is)
    .filter((name) => was[name] !== is[name])
    .map((name) => {
      if (name === "is_active") return is[name] === true ? "enabled" : "disabled";
      if (name === "standing") return `standing ${text(is[name])}, was ${text(was[name])}`;
      return `${name.replaceAll("_", " ")} changed`;
    })
    .join("; ");
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "?";
}
