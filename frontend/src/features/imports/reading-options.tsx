import { useState, type KeyboardEvent } from "react";

import type { FileImport } from "../../api/resources";
import { FILE, type OpenChoices } from "../../model/import-choices";
import type { useImportReread } from "../../queries/imports";
import { Failure } from "../../ui/states";

const DELIMITERS = { ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar" } as const;
type Delimiter = keyof typeof DELIMITERS;
type Encoding = NonNullable<FileImport["encoding"]>;
const ENCODINGS: Record<Encoding, string> = {
  "utf-8": "UTF-8",
  "utf-16le": "UTF-16, little endian",
  "utf-16be": "UTF-16, big endian",
  "windows-1252": "Windows-1252, Western European",
  "iso-8859-1": "ISO 8859-1, Latin 1",
  "iso-8859-2": "ISO 8859-2, Central European",
  "iso-8859-15": "ISO 8859-15, Latin 9",
  "windows-1250": "Windows-1250, Central European",
  "windows-1251": "Windows-1251, Cyrillic",
  "windows-1253": "Windows-1253, Greek",
  "windows-1254": "Windows-1254, Turkish",
  "windows-1255": "Windows-1255, Hebrew",
  "windows-1256": "Windows-1256, Arabic",
  "windows-1257": "Windows-1257, Baltic",
  "koi8-r": "KOI8-R, Cyrillic",
  macintosh: "Mac OS Roman",
  ibm437: "IBM 437, DOS",
  ibm850: "IBM 850, DOS Western European",
  shift_jis: "Shift JIS, Japanese",
  "euc-jp": "EUC-JP, Japanese",
  gb18030: "GB 18030, Chinese",
  big5: "Big5, Chinese",
  "euc-kr": "EUC-KR, Korean",
};

/** How a CSV or JSON file is read. A change looks through the whole file again. */
export function ReadingOptions({ file, open, reread }: { file: FileImport; open: OpenChoices; reread: ReturnType<typeof useImportReread> }) {
  const [nullText, setNullText] = useState(file.null_text);
  const [lines, setLines] = useState({ of: file.skip_lines, text: String(file.skip_lines ?? 0) });
  const linesShown = lines.of === file.skip_lines ? lines.text : String(file.skip_lines ?? 0);
  const saidNullText = open.get(FILE)?.get("null_text")?.value ?? file.null_text;
  const saidLines = open.get(FILE)?.get("skip_lines")?.value ?? file.skip_lines;
  const isOfLayout = reread.variables !== undefined && reread.variables.columns === undefined;
  const say = () => {
    const skip_lines = Number(linesShown);
    if (linesShown !== "" && skip_lines !== saidLines) reread.mutate({ skip_lines });
    if (nullText !== saidNullText) reread.mutate({ null_text: nullText });
  };
  const sayOnEnter = (event: KeyboardEvent) => event.key === "Enter" && say();
  return (
    <div className="inside stack tight">
      <div className="reading-options">
        {file.format === "csv" ? (
          <>
            <label className="row">
              <input
                type="checkbox"
                checked={file.header ?? false}
                disabled={reread.isPending}
                onChange={(event) => reread.mutate({ header: event.target.checked })}
              />
              The first row has names
            </label>
            <label className="row">
              Lines to skip
              <input
                className="input number"
                type="number"
                min={0}
                max={1_000_000}
                value={linesShown}
                onChange={(event) => setLines({ of: file.skip_lines, text: event.target.value })}
                onBlur={say}
                onKeyDown={sayOnEnter}
              />
            </label>
            <label className="row">
              Separator
              <select
                className="input"
                value={file.delimiter ?? ","}
                disabled={reread.isPending}
                onChange={(event) => reread.mutate({ delimiter: event.target.value as Delimiter })}
              >
                {Object.entries(DELIMITERS).map(([value, name]) => (
                  <option key={value} value={value}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
            <label className="row">
              Also read as NULL
              <input className="input" value={nullText} size={6} maxLength={100} onChange={(event) => setNullText(event.target.value)} onBlur={say} onKeyDown={sayOnEnter} />
            </label>
          </>
        ) : null}
        <label className="row">
          Encoding
          <select
            className="input"
            value={file.encoding ?? "utf-8"}
            disabled={reread.isPending}
            onChange={(event) => reread.mutate({ encoding: event.target.value as Encoding })}
          >
            {Object.entries(ENCODINGS).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      {reread.error && isOfLayout ? <Failure error={reread.error} /> : null}
    </div>
  );
}
