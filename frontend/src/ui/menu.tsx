import { useEffect, useRef, type ReactNode } from "react";

/** A button that opens a sheet beneath it; a click elsewhere, Escape, and choosing close it. */
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
    const closeOnEscape = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || !details.open) return;
      details.open = false;
      details.querySelector("summary")?.focus();
    };
    document.addEventListener("click", closeOutside);
    document.addEventListener("focusin", closeOutside);
    details.addEventListener("click", closeInside);
    details.addEventListener("keydown", closeOnEscape);
    return () => {
      document.removeEventListener("click", closeOutside);
      document.removeEventListener("focusin", closeOutside);
      details.removeEventListener("click", closeInside);
      details.removeEventListener("keydown", closeOnEscape);
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
