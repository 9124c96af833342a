import { useEffect, useRef, type ReactNode } from "react";

const STEPS: Record<string, (at: number, last: number) => number> = {
  ArrowDown: (at, last) => (at >= last ? 0 : at + 1),
  ArrowUp: (at, last) => (at <= 0 ? last : at - 1),
  Home: () => 0,
  End: (_, last) => last,
};

/** A button that opens a sheet beneath it; a click elsewhere, Escape, and choosing close it. Arrows, Home and End move
 * between its items, and an arrow on the button opens it. */
export function Menu({
  button,
  label,
  className = "",
  buttonClass = "icon-button",
  children,
}: {
  button: ReactNode;
  label: string;
  className?: string;
  buttonClass?: string;
  children: ReactNode;
}) {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const details = menu.current;
    if (!details) return;
    const closeOutside = (event: Event) => {
      if (details.open && !details.contains(event.target as Node)) details.open = false;
    };
    const closeInside = (event: Event) => {
      if ((event.target as Element).closest(".item")) details.open = false;
    };
    const move = (event: KeyboardEvent) => {
      const step = STEPS[event.key];
      // In a field the keys are for its text.
      if (!step || (event.target as Element).matches("input, select, textarea")) return;
      if (!details.open && !event.key.startsWith("Arrow")) return;
      event.preventDefault();
      details.open = true;
      const items = [...details.querySelectorAll<HTMLElement>("a.item, button.item:not(:disabled)")];
      items[step(items.indexOf(document.activeElement as HTMLElement), items.length - 1)]?.focus();
    };
    const closeOnEscape = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || !details.open) return;
      details.open = false;
      details.querySelector("summary")?.focus();
    };
    document.addEventListener("click", closeOutside);
    document.addEventListener("focusin", closeOutside);
    details.addEventListener("click", closeInside);
    details.addEventListener("keydown", closeOnEscape);
    details.addEventListener("keydown", move);
    return () => {
      document.removeEventListener("click", closeOutside);
      document.removeEventListener("focusin", closeOutside);
      details.removeEventListener("click", closeInside);
      details.removeEventListener("keydown", closeOnEscape);
      details.removeEventListener("keydown", move);
    };
  }, []);
  return (
    <details ref={menu} className={`menu ${className}`}>
      <summary className={buttonClass} aria-label={label} title={label}>
        {button}
      </summary>
      <div className="sheet">{children}</div>
    </details>
  );
}
