import { useId, useLayoutEffect, useRef, useState, type ReactNode } from "react";

/** A modal dialog while it is rendered; Escape and its own buttons close it. What opened it gets the focus back. */
export function Dialog({
  title,
  onClose,
  children,
  className = "",
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  className?: string;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Asked for before anything inside can take the focus.
  const [opener] = useState(() => openerOf(document.activeElement));
  // Before the browser paints: afterwards the element is out of the page, and the focus is nowhere.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element && !element.open) element.showModal();
    return () => {
      element?.close();
      if (opener?.isConnected) opener.focus();
    };
  }, [opener]);
  return (
    <dialog ref={dialog} className={`dialog ${className}`} aria-labelledby={titleId} onCancel={onClose}>
      <div className="body">
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

/** The ref of the field or button that gets the focus when its dialog opens, also where another stands before it: React's own
 * attribute focuses when the dialog is still closed. */
export function firstInDialog(field: HTMLElement | null): void {
  field?.setAttribute("autofocus", "");
}

/** What has the focus; of a menu, which closes when something in it is chosen, the button that opens it. */
function openerOf(focused: Element | null): HTMLElement | null {
  const opener = focused?.closest(".menu")?.querySelector("summary") ?? focused;
  return opener instanceof HTMLElement && opener !== document.body ? opener : null;
}
