import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { sql, SQLDialect } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, Prec } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";

import { LAKE_KEYWORDS, LAKE_TYPES } from "./keywords";
import type { SqlNames } from "./use-sql-names";

const LAKE = SQLDialect.define({
  keywords: LAKE_KEYWORDS,
  types: LAKE_TYPES,
  identifierQuotes: "`",
  backslashEscapes: true,
  doubleQuotedStrings: true,
});

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--code-keyword)", fontWeight: "550" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: tags.typeName, color: "var(--code-number)" },
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
]);

/** An editor for one statement. Loaded apart from the page: it is larger than the page itself. */
export default function SqlEditor({
  text,
  names,
  error,
  onChange,
  onRun,
}: {
  text: string;
  names: SqlNames;
  error: { from: number; to: number; message: string } | undefined;
  onChange: (text: string) => void;
  onRun: (text: string) => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const language = useRef(new Compartment());
  const latest = useRef({ onChange, onRun });
  const firstText = useRef(text);
  useEffect(() => {
    latest.current = { onChange, onRun };
  });
  useEffect(() => {
    if (!place.current) return;
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: firstText.current,
        extensions: editorExtensions(language.current, {
          onChange: (changed) => latest.current.onChange(changed),
          onRun: (whole) => latest.current.onRun(whole),
        }),
      }),
    });
    view.current = made;
    made.focus();
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const current = view.current;
    if (current && current.state.doc.toString() !== text) {
      current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text } });
    }
  }, [text]);
  useEffect(() => {
    view.current?.dispatch({ effects: language.current.reconfigure(languageWith(names)) });
  }, [names]);
  useEffect(() => {
    const current = view.current;
    if (!current) return;
    const marks = error && error.to <= current.state.doc.length ? [{ ...error, severity: "error" as const }] : [];
    current.dispatch(setDiagnostics(current.state, marks));
  }, [error]);
  return <div ref={place} className="sql-editor" />;
}

function languageWith(names: SqlNames) {
  return sql({ dialect: LAKE, schema: names, upperCaseKeywords: true });
}

function editorExtensions(
  language: Compartment,
  { onChange, onRun }: { onChange: (text: string) => void; onRun: (text: string) => void },
) {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="lakeui-style-nonce"]')?.nonce ?? "";
  return [
    EditorView.cspNonce.of(nonce),
    lineNumbers(),
    history(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    autocompletion(),
    language.of(languageWith({})),
    syntaxHighlighting(COLOURS),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": "SQL statement" }),
    Prec.highest(
      keymap.of([
        {
          key: "Mod-Enter",
          run: (editor) => {
            onRun(editor.state.doc.toString());
            return true;
          },
        },
      ]),
    ),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
  ];
}
