import { useState } from "react";

import type { FileImport } from "../../api/resources";
import type { useImportReread } from "../../queries/imports";
import { Failure } from "../../ui/states";

const DELIMITERS = { ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar" } as const;
type Delimiter = keyof typeof DELIMITERS;

/** How a CSV file is read. A change looks through the whole file again. */
export function ReadingOptions({ file, reread }: { file: FileImport; reread: ReturnType<typeof useImportReread> }) {
  const [nullText, setNullText] = useState(file.null_text);
  const isOfLayout = reread.variables !== undefined && reread.variables.columns === undefined;
  const say = () => {
    if (nullText !== file.null_text) reread.mutate({ null_text: nullText });
  };
  return (
    <div className="inside stack tight">
      <form
        className="reading-options"
        onSubmit={(event) => {
          event.preventDefault();
          say();
        }}
      >
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
          Values end with
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
          NULL is also written
          <input className="input" value={nullText} size={6} maxLength={100} onChange={(event) => setNullText(event.target.value)} onBlur={say} />
        </label>
      </form>
      {reread.error && isOfLayout ? <Failure error={reread.error} /> : null}
    </div>
  );
}
