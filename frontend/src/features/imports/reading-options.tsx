import { useState, type KeyboardEvent } from "react";

import type { FileImport } from "../../api/resources";
import { FILE, type OpenChoices } from "../../model/import-choices";
import type { useImportReread } from "../../queries/imports";
import { Input } from "../../ui/field";
import { Muted } from "../../ui/muted";
import { Select } from "../../ui/select";
import { Failure } from "../../ui/states";
import styles from "./imports.module.css";

const DELIMITERS = { ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar" } as const;
type Delimiter = keyof typeof DELIMITERS;
const AS_SQL = "";
type Numbers = NonNullable<FileImport["numbers"]>;
type Dates = NonNullable<FileImport["dates"]>;
const NUMBERS: Record<Numbers | typeof AS_SQL, string> = {
  [AS_SQL]: "1234.5",
  "1,234.5": "1,234.5",
  "1.234,5": "1.234,5",
  "1 234,5": "1 234,5",
  "1'234.5": "1'234.5",
};
const DATES: Record<Dates | typeof AS_SQL, string> = {
  [AS_SQL]: "2025-12-31",
  "y-m-d": "2025/12/31, year first",
  "d.m.y": "31.12.2025, day first",
  "m/d/y": "12/31/2025, month first",
};
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
      <div className={styles.readingOptions}>
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
              <Input
                className="number"
                type="number"
                min={0}
                max={1_000_000}
                value={linesShown}
                onChange={(event) => setLines({ of: file.skip_lines, text: event.target.value })}
                onBlur={say}
                onKeyDown={sayOnEnter}
              />
            </label>
            <Choice label="Separator" value={(file.delimiter ?? ",") as Delimiter} names={DELIMITERS} isDisabled={reread.isPending} onChoose={(delimiter) => reread.mutate({ delimiter })} />
            <label className="row">
              Also read as NULL
              <Input value={nullText} size={6} maxLength={100} onChange={(event) => setNullText(event.target.value)} onBlur={say} onKeyDown={sayOnEnter} />
            </label>
            <Choice label="Numbers are written" value={file.numbers ?? AS_SQL} names={NUMBERS} isDisabled={reread.isPending} onChoose={(numbers) => reread.mutate({ numbers: numbers || null })} />
            <Choice label="Dates are written" value={file.dates ?? AS_SQL} names={DATES} isDisabled={reread.isPending} onChoose={(dates) => reread.mutate({ dates: dates || null })} />
          </>
        ) : null}
        <Choice label="Encoding" value={file.encoding ?? "utf-8"} names={ENCODINGS} isDisabled={reread.isPending} onChoose={(encoding) => reread.mutate({ encoding })} />
      </div>
      {file.numbers || file.dates ? (
        <Muted as="p" isSmall>Columns of numbers and dates are read that way, as the first rows below show. Columns of the type string keep their text.</Muted>
      ) : null}
      {reread.error && isOfLayout ? <Failure error={reread.error} /> : null}
    </div>
  );
}

function Choice<Value extends string>({
  label,
  value,
  names,
  isDisabled,
  onChoose,
}: {
  label: string;
  value: Value;
  names: Readonly<Record<Value, string>>;
  isDisabled: boolean;
  onChoose: (value: Value) => void;
}) {
  return (
    <label className="row">
      {label}
      <Select value={value} disabled={isDisabled} onChange={(event) => onChoose(event.target.value as Value)}>
        {Object.entries<string>(names).map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </Select>
    </label>
  );
}
