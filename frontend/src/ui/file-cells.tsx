import { bytes, count } from "../model/format";

/** What is said of a data file wherever it is listed. */
export const FILE_COLUMNS = [
  { title: "File" },
  { title: "Rows", isNumber: true },
  { title: "Schema", isNumber: true },
  { title: "Size", isNumber: true },
];

export function FileCells({ file }: { file: { path: string; rows: number; bytes: number; schema_version: number } }) {
  return (
    <>
      <td className="path">
        <code title={file.path}>{file.path}</code>
      </td>
      <td className="number">{count(file.rows)}</td>
      <td className="number">v{file.schema_version}</td>
      <td className="number">{bytes(file.bytes)}</td>
    </>
  );
}
