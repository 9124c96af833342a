/** Who is signed in, as the shell of the pages says. */
export function userName(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="lakeui-user"]')?.content ?? "";
}

export type Standing = "person" | "staff" | "superuser";

/** What they are on the server, as the shell says; the server judges every request anew. */
export function userStanding(): Standing {
  const said = document.querySelector<HTMLMetaElement>('meta[name="lakeui-standing"]')?.content;
  return said === "superuser" || said === "staff" ? said : "person";
}
