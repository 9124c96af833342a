import { useEffect, useRef, useState } from "react";
import { Input } from "./field";

const SEARCH_DELAY_MS = 250;

/** A field that searches a moment after the last key. */
export function SearchField({ label, text, onSearch }: { label: string; text: string; onSearch: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (value: string) => {
    setTyped(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onSearch(value.trim()), SEARCH_DELAY_MS);
  };
  return (
    <Input className="grow" type="search" placeholder={label} aria-label={label} value={typed} onChange={(event) => type(event.target.value)} />
  );
}
