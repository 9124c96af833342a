import type { CompletionContext, CompletionSource } from "@codemirror/autocomplete";
import { LanguageSupport, StreamLanguage, type StringStream } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import { Decoration, MatchDecorator, ViewPlugin, type EditorView, type ViewUpdate } from "@codemirror/view";

import { configCompletion, sourceCompletion, type Completion, type Surroundings } from "../../model/pipeline-completion";
import { sqlLanguage } from "../sql/sql-language";
import type { SqlNames } from "../sql/use-sql-names";
import styles from "./texts.module.css";

/** SQL with what a template and annotations add to it, coloured and completed. */
export function sourceLanguage(names: SqlNames, around: Surroundings): Extension {
  return [sqlLanguage(names), marked(/\{\{.*?\}\}|\{%.*?%\}/g, styles.template), marked(/@\w+(?=[ \t]*:)/g, styles.annotation), completed(sourceCompletion, around)];
}

/** The lines of a config.yaml: `key: value`, lists and comments. */
export function configLanguage(around: Surroundings): Extension {
  return [new LanguageSupport(CONFIG), completed(configCompletion, around)];
}

const CONFIG = StreamLanguage.define({ name: "config.yaml", token: configToken, languageData: { commentTokens: { line: "#" } } });

function configToken(stream: StringStream): string | null {
  if (stream.eatSpace()) return null;
  if (stream.match(/^#.*/)) return "comment";
  if (stream.match(/^[\w-]+(?=\s*:)/)) return "propertyName";
  if (stream.match(/^'[^']*'|^"(?:\\.|[^"\\])*"/)) return "string";
  if (stream.match(/^(?:true|false|null)\b/)) return "bool";
  if (stream.match(/^-?\d+(?:\.\d+)?\b/)) return "number";
  if (stream.match(/^[\w.-]+/)) return null;
  stream.next();
  return null;
}

function completed(complete: (text: string, position: number, around: Surroundings) => Completion | undefined, around: Surroundings): Extension {
  const source: CompletionSource = ({ state, pos }: CompletionContext) => {
    const found = complete(state.doc.toString(), pos, around);
    return found ? { from: found.from, options: found.choices.map((choice) => ({ ...choice, type: "property" })), validFor: /^\w*$/ } : null;
  };
  return EditorState.languageData.of(() => [{ autocomplete: source }]);
}

/** Every visible match, with a class. */
function marked(regexp: RegExp, className = ""): Extension {
  const matcher = new MatchDecorator({ regexp, decoration: Decoration.mark({ class: className }) });
  return ViewPlugin.define(
    (view: EditorView) => ({
      decorations: matcher.createDeco(view),
      update(update: ViewUpdate) {
        this.decorations = matcher.updateDeco(update, this.decorations);
      },
    }),
    { decorations: (plugin) => plugin.decorations },
  );
}
