import { useState } from "react";
import { useNavigate } from "react-router";

import type { Branch } from "../../api/resources";
import { compareAddress } from "../../model/addresses";
import { useBranches } from "../../queries/catalogs";
import { Button } from "../../ui/button";
import { Muted } from "../../ui/muted";
import { PageHead, Panel } from "../../ui/page";
import { Empty, Loaded } from "../../ui/states";
import { BranchField } from "./branch-field";
import styles from "./choose-pair.module.css";

/** Which two branches: at first the branch with the newest commit, against its parent. `same`: the one that an address
 * names twice; then another source is to be chosen. */
export function ChoosePair({ catalog, same }: { catalog: string; same?: string }) {
  const branches = useBranches(catalog, { order: "-activity" });
  return (
    <div className="page">
      <PageHead title="Compare branches" />
      <Loaded query={branches} label="branches">
        {({ pages }) => <PairForm catalog={catalog} branches={pages.flatMap((page) => page.results)} same={same} />}
      </Loaded>
    </div>
  );
}

function PairForm({ catalog, branches, same }: { catalog: string; branches: Branch[]; same: string | undefined }) {
  const navigate = useNavigate();
  const first = branches.find((branch) => branch.parent);
  const [source, setSource] = useState(same ?? first?.name ?? "");
  const [destination, setDestination] = useState(same ?? first?.parent ?? "main");
  if (!first) {
    return (
      <Panel>
        <Empty title="There is only one branch">
          <p>Create a branch, change something on it, and compare it here.</p>
        </Empty>
      </Panel>
    );
  }
  return (
    <Panel padded>
      <Muted as="p" className={styles.about}>See which rows and columns a merge would bring, and what conflicts. Nothing is merged by looking.</Muted>
      <form
        className="row pair-form"
        onSubmit={(event) => {
          event.preventDefault();
          void navigate(compareAddress(catalog, source, destination));
        }}
      >
        <BranchField catalog={catalog} label="Merge" value={source} onChange={setSource} />
        <BranchField catalog={catalog} label="into" value={destination} onChange={setDestination} />
        <Button type="submit" look="primary" disabled={source === destination}>
          Compare
        </Button>
      </form>
      <Muted as="p" isSmall role="status">
        {source === destination ? `Both are ${source}: a branch has nothing to bring to itself. Choose another one for either.` : ""}
      </Muted>
    </Panel>
  );
}
