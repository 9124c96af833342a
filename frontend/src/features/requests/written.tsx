/** Text that somebody wrote. The server turned it from Markdown into HTML and left in it only what is safe. */
import styles from "./written.module.css";
export function Written({ html }: { html: string }) {
  return <div className={styles.written} dangerouslySetInnerHTML={{ __html: html }} />;
}
