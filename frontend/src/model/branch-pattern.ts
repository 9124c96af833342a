/** Whether a branch's name is of a rule's pattern: `*` any characters, `?` one, `[abc]` one of them, `[!abc]` none of them;
 * upper and lower case are one. */
export function patternMatches(pattern: string, name: string): boolean {
  const parts = [...pattern.toLowerCase().matchAll(/\[(!?)(\]?[^\]]*)\]|([^])/gu)].map(([, not, members, other]) => {
    if (members !== undefined) return `[${not ? "^" : ""}${members.replaceAll(/[\\\][^|]/g, "\\$&")}]`;
    if (other === "*") return ".*";
    return other === "?" ? "." : (other ?? "").replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  });
  return new RegExp(`^${parts.join("")}$`, "su").test(name.toLowerCase());
}
