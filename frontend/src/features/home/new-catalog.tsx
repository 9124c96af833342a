import { useState } from "react";

import { branchAddress } from "../../model/addresses";
import { catalogCreate } from "../../model/sql";
import { TextField, WriteDialog } from "../sql/write-dialog";
import { Samples } from "./samples";
import { Muted } from "../../ui/muted";

/** A catalog of one's own, and then its first branch. */
export default function NewCatalogDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [comment, setComment] = useState("");
  const wanted = name.trim();
  return (
    <WriteDialog
      title="New catalog"
      action="Create the catalog"
      place={{ catalog: null, branch: "main" }}
      statement={wanted ? catalogCreate(wanted, comment.trim()) : undefined}
      leadsTo={branchAddress(wanted, "main")}
      onClose={onClose}
    >
      <Muted as="p">A catalog holds databases, tables and their branches. It begins with the branch main.</Muted>
      <Samples />
      <TextField label="Name" value={name} onChange={setName} isFirst />
      <TextField label="What it is for (optional)" value={comment} onChange={setComment} maxLength={1000} />
    </WriteDialog>
  );
}
