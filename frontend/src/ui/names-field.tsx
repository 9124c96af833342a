import { useId, useState, type KeyboardEvent } from "react";

import { Button } from "./button";
import { FieldGroup, Input } from "./field";
import { Icon } from "./icons";

/** Several short texts: typed one after the other, each added by Enter or its button, and taken away again. */
export function NamesField({
  label,
  names,
  suggestions = [],
  onlySuggested = false,
  onType,
  onChange,
}: {
  label: string;
  names: readonly string[];
  suggestions?: readonly string[];
  /** Whether only what is suggested can be added. */
  onlySuggested?: boolean;
  onType?: (text: string) => void;
  onChange: (names: string[]) => void;
}) {
  const [text, setText] = useState("");
  const list = useId();
  const typed = text.trim();
  const canAdd = typed !== "" && !names.includes(typed) && (!onlySuggested || suggestions.includes(typed));
  const add = () => {
    if (!canAdd) return;
    onChange([...names, typed]);
    setText("");
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    // In a form, Enter would send it.
    event.preventDefault();
    add();
  };
  return (
    <FieldGroup>
      <span id={`${list}-label`}>{label}</span>
      {names.length ? (
        <ul className="row" aria-labelledby={`${list}-label`}>
          {names.map((name) => (
            <li key={name} className="badge">
              {name}
              <button type="button" className="remove" aria-label={`Remove ${name}`} onClick={() => onChange(names.filter((kept) => kept !== name))}>
                <Icon name="close" size={12} />
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      <div className="row nowrap-row">
        <Input
          list={list}
          value={text}
          maxLength={150}
          aria-labelledby={`${list}-label`}
          onKeyDown={press}
          onChange={(event) => {
            setText(event.target.value);
            onType?.(event.target.value.trim());
          }}
        />
        <Button disabled={!canAdd} onClick={add}>
          Add
        </Button>
      </div>
      <datalist id={list}>
        {suggestions
          .filter((name) => !names.includes(name))
          .map((name) => (
            <option key={name} value={name} />
          ))}
      </datalist>
    </FieldGroup>
  );
}
