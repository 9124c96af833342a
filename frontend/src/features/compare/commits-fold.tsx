import { Link } from "react-router";

import type { ComparedDetail, SideCommit } from "../../api/resources";
import { sqlAddress } from "../../model/addresses";
import { commitsText } from "../../model/first-look";
import { counted } from "../../model/format";
import type { Pair } from "../../queries/compare";
import { Muted } from "../../ui/muted";
import { Time } from "../../ui/time";
import styles from "./commits-fold.module.css";

/** The commits of both branches on the object, with their statements. */
export function CommitsFold({ pair, detail }: { pair: Pair; detail: ComparedDetail }) {
  return (
    <details className="fold">
      <summary>
        What both branches did <Muted isSmall>{commitsText(detail, pair)}</Muted>
      </summary>
      <div className={styles.sides}>
        <Side pair={pair} name={pair.source} base={detail.merge_base} commits={detail.source_commits} />
        <Side pair={pair} name={pair.destination} base={detail.merge_base} commits={detail.dest_commits} />
      </div>
    </details>
  );
}

function Side({ pair, name, base, commits }: { pair: Pair; name: string; base: number; commits: readonly SideCommit[] }) {
  return (
    <section>
      <h3>Changes on {name}</h3>
      {commits.length === 0 ? <Muted as="p" isSmall>No change since the branches split (v{base}).</Muted> : null}
      {commits.map((commit) => (
        <details key={`${commit.branch} ${commit.version}`} className={styles.commit}>
          <summary>
            <code>v{commit.version}</code> {commit.operation}
            {commit.rows ? ` ${counted(commit.rows, "row")}` : ""}
            {commit.files_touched ? <Muted> in {counted(commit.files_touched, "file")}</Muted> : null}
          </summary>
          <pre>
            <code>{commit.statement}</code>
          </pre>
          <Muted as="p">
            {commit.author || "someone"}, <Time at={commit.time} /> ·{" "}
            <Link to={sqlAddress(pair.catalog, name, commit.statement)}>Run it again</Link>
          </Muted>
        </details>
      ))}
    </section>
  );
}
