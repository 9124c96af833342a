import { useState } from "react";

import type { Role } from "../../api/resources";
import { catalogAddress } from "../../model/addresses";
import { catalogDrop, catalogRename } from "../../model/sql";
import { isAtLeast } from "../../model/roles";
import { TextField, WriteDialog } from "../sql/write-dialog";
import { Button } from "../../ui/button";
import { Muted } from "../../ui/muted";

type Asked = "rename" | "drop";

/** The name of the catalog, and the way to drop it. */
export function CatalogTab({ catalog, role }: { catalog: string; role: Role }) {
  const [asked, setAsked] = useState<Asked>();
  const mayManage = isAtLeast(role, "owner");
  const close = () => setAsked(undefined);
  return (
    <div className="inside stack merging">
      <Muted as="p">
        Addresses, statements and programs find the catalog by its name. A dropped catalog can be undropped from the start page until its files expire.
        {mayManage ? "" : " Owners rename and drop it."}
      </Muted>
      <p className="row">
        <Button disabled={!mayManage} onClick={() => setAsked("rename")}>
          Rename {catalog}
        </Button>
        <Button look="danger" disabled={!mayManage} onClick={() => setAsked("drop")}>
          Drop {catalog}
        </Button>
      </p>
      {asked === "rename" ? <Rename catalog={catalog} onClose={close} /> : null}
      {asked === "drop" ? <Drop catalog={catalog} onClose={close} /> : null}
    </div>
  );
}

function Rename({ catalog, onClose }: { catalog: string; onClose: () => void }) {
  const [name, setName] = useState(catalog);
  const wanted = name.trim();
  return (
    <WriteDialog
      title={`Rename ${catalog}`}
      action="Rename it"
      place={{ catalog: null, branch: "main" }}
      statement={wanted && wanted !== catalog ? catalogRename(catalog, wanted) : undefined}
      leadsTo={catalogAddress(wanted)}
      gone={["catalog", catalog]}
      onClose={onClose}
    >
      <p className="notice amber">Bookmarks, saved queries and programs with the old name find nothing any more.</p>
      <TextField label="New name" value={name} onChange={setName} isFirst />
    </WriteDialog>
  );
}

function Drop({ catalog, onClose }: { catalog: string; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  return (
    <WriteDialog
      title={`Drop ${catalog}`}
      action="Drop it"
      place={{ catalog: null, branch: "main" }}
      statement={typed.trim() === catalog ? catalogDrop(catalog) : undefined}
      leadsTo="/"
      gone={["catalog", catalog]}
      isDangerous
      onClose={onClose}
    >
      <p className="notice amber">All its branches, tables and merge requests are gone for everybody. The start page brings it back until its files expire.</p>
      <TextField label={`Type ${catalog} to drop it`} value={typed} onChange={setTyped} isFirst />
    </WriteDialog>
  );
}
