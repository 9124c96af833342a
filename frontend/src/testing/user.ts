/** The person that the server names in the page; no one is signed in after a test (setup.ts). */
export function signedInAs(name: string): void {
  document.head.innerHTML = `<meta name="lakeui-user" content="${name}">`;
}
