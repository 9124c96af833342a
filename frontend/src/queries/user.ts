/** Who is signed in, as the shell of the pages says. */
export function userName(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="lakeui-user"]')?.content ?? "";
}
