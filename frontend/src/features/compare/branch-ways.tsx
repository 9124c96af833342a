
import type { ComparedDetail, Finding } from "../../api/resources";
import { branchAddress, compareAddress, sqlAddress, tableAddress } from "../../model/addresses";
import { withNames } from "../../model/first-look";
import { propertySet } from "../../model/table-changes";
import { finerSettings } from "../../model/verdict";
import type { Pair } from "../../queries/compare";
import { LinkButton } from "../../ui/button";
import { Muted } from "../../ui/muted";

/** Conflicts that end when the branch has the new rows and its statement ran on them. */
const RERUN = new Set(["PREDICATE_DML_VS_INSERT", "SAME_FILE_UPDATE_UPDATE", "SAME_FILE_UPDATE_DELETE"]);

/** The ways out of a conflict that change the source, where no choice is kept in a merge request. */
export function BranchWays({ pair, finding, detail }: { pair: Pair; finding: Finding; detail: ComparedDetail }) {
  const { catalog, source, destination } = pair;
  // The choices that end a remedy stand above, as buttons.
  const [remedy = ""] = finding.remedy.split(" Or decide it: ");
  const [database, table] = finding.object.split(".");
  const finer = finerSettings(finding).find(({ rows }) => rows === 0);
  const done = detail.source_commits.findLast((commit) => finding.source_versions.includes(commit.version));
  return (
    <section className="stack tight" aria-label={`Or change ${source} first`}>
      <h3>Or change {source} first</h3>
      {remedy ? <Muted as="p" isSmall>{withNames(remedy, pair)}</Muted> : null}
      <div className="row">
        {finding.code === "OBJECT_DROPPED_ON_DEST" ? (
          <LinkButton isSmall to={`${branchAddress(catalog, destination)}?tab=trash`}>
            See the trash of {destination}
          </LinkButton>
        ) : null}
        {database && table && finer ? (
          <LinkButton isSmall to={sqlAddress(catalog, destination, propertySet({ database, table }, "merge.conflicts", finer.setting))}>
            Set merge.conflicts to {finer.setting} on {destination}
          </LinkButton>
        ) : null}
        <LinkButton isSmall to={compareAddress(catalog, destination, source)}>
          Merge {destination} into {source}
        </LinkButton>
        {done?.statement && RERUN.has(finding.code) ? (
          <LinkButton isSmall to={sqlAddress(catalog, source, done.statement)}>
            Run the {finding.source_op.toUpperCase()} again on {source}
          </LinkButton>
        ) : null}
        {finding.kind === "table" && database && table ? (
          <LinkButton isSmall to={`${tableAddress(catalog, source, database, table)}?tab=history`}>
            Restore {table} on {source}
          </LinkButton>
        ) : null}
      </div>
    </section>
  );
}
