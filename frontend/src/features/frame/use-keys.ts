import { useEffect, useRef } from "react";

/** Single keys and `ctrl+` keys that do something while no text is being typed and no dialog is open. */
export function useKeys(actions: Record<string, () => void>): void {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isControl = event.ctrlKey || event.metaKey;
      if (event.defaultPrevented || event.altKey || (!isControl && isTyping(event.target))) return;
      const action = latest.current[isControl ? `ctrl+${event.key.toLowerCase()}` : event.key];
      if (!action || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      action();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}
