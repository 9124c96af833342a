import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, Prec, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";
import styles from "./code-editor.module.css";

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--code-keyword)", fontWeight: "550" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: tags.typeName, color: "var(--code-number)" },
  { tag: tags.propertyName, color: "var(--code-keyword)" },
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
]);

/** An editor for one text. Pages load it apart: it is larger than they are. */
export function CodeEditor({
  text,
  label,
  language,
  marks,
  isFocused = false,
  isReadOnly = false,
  insertion,
  onChange,
  onSelect,
  onRun,
}: {
  text: string;
  label: string;
  /** Colours, completion and the like; the same value for as long as nothing of it changes. */
  language: Extension;
  /** What is wrong, and where; the same value for as long as nothing of it changes. */
  marks: readonly { from: number; to: number; message: string }[];
  /** Whether it takes the focus when it appears. */
  isFocused?: boolean;
  isReadOnly?: boolean;
  /** A text for its place: each value goes there once. */
  insertion?: Insertion | undefined;
  onChange: (text: string) => void;
  onSelect?: (selection: Selected) => void;
  onRun?: (text: string, selection: Selected) => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const compartment = useRef(new Compartment());
  const latest = useRef({ onChange, onSelect, onRun });
  const first = useRef({ text, label, isFocused });
  useEffect(() => {
    latest.current = { onChange, onSelect, onRun };
  });
  useEffect(() => {
    if (!place.current) return;
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: first.current.text,
        extensions: [
          ...editorExtensions(first.current.label, {
            onChange: (changed) => latest.current.onChange(changed),
            onSelect: (selection) => latest.current.onSelect?.(selection),
            onRun: (whole, selection) => latest.current.onRun?.(whole, selection),
          }),
          compartment.current.of([]),
        ],
      }),
    });
    view.current = made;
    if (first.current.isFocused) made.focus();
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const current = view.current;
    if (current && current.state.doc.toString() !== text) {
      current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text } });
    }
  }, [text]);
  useEffect(() => {
    view.current?.dispatch({ effects: compartment.current.reconfigure([language, EditorState.readOnly.of(isReadOnly)]) });
  }, [language, isReadOnly]);
  useEffect(() => {
    const current = view.current;
    if (!current) return;
    const inside = marks.filter(({ to }) => to <= current.state.doc.length);
    current.dispatch(setDiagnostics(current.state, inside.map((mark) => ({ ...mark, severity: "error" as const }))));
  }, [marks]);
  useEffect(() => {
    const current = view.current;
    if (!current || insertion === undefined) return;
    const { text: inserted, at } = insertion;
    const put = at ? { changes: { ...at, insert: inserted }, selection: { anchor: at.from + inserted.length } } : current.state.replaceSelection(inserted);
    current.dispatch(put, { scrollIntoView: true });
    current.focus();
  }, [insertion]);
  return <div ref={place} className={styles.editor} />;
}

/** A text that goes to where the cursor is, or into the place of what stands there. */
export interface Insertion {
  text: string;
  at?: Selected;
}

interface Selected {
  from: number;
  to: number;
}

function selectedIn({ selection }: EditorState): Selected {
  return { from: selection.main.from, to: selection.main.to };
}

interface Handlers {
  onChange: (text: string) => void;
  onSelect: (selection: Selected) => void;
  onRun: (text: string, selection: Selected) => void;
}

/** Text typed over a selection goes through the state. The browser itself would keep the style of the selection by an
 * inline one, which the content policy refuses. */
const typingOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { state } = view;
    const { from, to, empty } = state.selection.main;
    const typed = event.data;
    if (event.inputType !== "insertText" || typed === null || empty || view.composing || state.readOnly) return false;
    const insertion = () => state.update(state.replaceSelection(typed), { userEvent: "input.type", scrollIntoView: true });
    if (!state.facet(EditorView.inputHandler).some((handles) => handles(view, from, to, typed, insertion))) view.dispatch(insertion());
    return true;
  },
});

function editorExtensions(label: string, { onChange, onSelect, onRun }: Handlers) {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="lakeui-style-nonce"]')?.nonce ?? "";
  return [
    EditorView.cspNonce.of(nonce),
    lineNumbers(),
    history(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    autocompletion(),
    syntaxHighlighting(COLOURS),
    typingOver,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": label }),
    Prec.highest(
      keymap.of([
        {
          key: "Mod-Enter",
          run: (editor) => {
            onRun(editor.state.doc.toString(), selectedIn(editor.state));
            return true;
          },
        },
      ]),
    ),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
      if (update.selectionSet || update.docChanged) onSelect(selectedIn(update.state));
    }),
  ];
}
