import { useParams, useSearchParams } from "react-router";

import { branchAddress, importAddress } from "../../model/addresses";
import { useImport, type ImportPlace } from "../../queries/imports";
import { LaneDot } from "../../ui/branch-name";
import { LinkButton } from "../../ui/button";
import { PageHead } from "../../ui/page";
import { Loaded } from "../../ui/states";
import { ImportReview } from "./import-review";
import { SendFile } from "./send-file";

/** Bring a CSV, JSON, Parquet or Arrow file into a table of a branch: send it, look at what was found, say where it goes. */
export function ImportPage() {
  const { catalog = "" } = useParams();
  const [query, setQuery] = useSearchParams();
  const branch = query.get("branch") ?? "main";
  const place: ImportPlace = { catalog, branch };
  const importId = query.get("import");
  const table = { database: query.get("database") ?? "", table: query.get("table") ?? "" };
  const goOn = (id: string) =>
    setQuery((before) => {
      before.set("import", id);
      return before;
    });
  return (
    <div className="page">
      <PageHead
        title="Import a file"
        actions={
          <LinkButton to={branchAddress(catalog, branch)}>
            Tables of {branch}
          </LinkButton>
        }
      >
        <span className="row">
          Import into <LaneDot branch={branch} /> {branch}
        </span>
      </PageHead>
      {importId === null ? (
        // Names of a table that is there are as they are.
        <SendFile place={place} isPlain={table.table === ""} onSent={goOn} />
      ) : (
        <Waiting key={importId} place={place} importId={importId} table={table} />
      )}
    </div>
  );
}

function Waiting({ place, importId, table }: { place: ImportPlace; importId: string; table: { database: string; table: string } }) {
  const file = useImport(place, importId);
  return (
    <>
      <Loaded query={file} label="the file">
        {(found) => <ImportReview place={place} file={found} into={table} />}
      </Loaded>
      {file.error && !file.data ? (
        <p>
          <LinkButton to={importAddress(place.catalog, place.branch)}>
            Send another file
          </LinkButton>
        </p>
      ) : null}
    </>
  );
}
