/** Text that somebody wrote. The server turned it from Markdown into HTML and left in it only what is safe. */
export function Written({ html }: { html: string }) {
  return <div className="written" dangerouslySetInnerHTML={{ __html: html }} />;
}
