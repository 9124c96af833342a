import { useEffect, type ReactNode } from "react";

/** The head of a page; its title is the document's too. */
export function PageHead({ title, children, actions }: { title: string; children?: ReactNode; actions?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · lakeui`;
  }, [title]);
  return (
    <div className="page-head">
      <h1>{children ?? title}</h1>
      {actions ? <div className="actions">{actions}</div> : null}
    </div>
  );
}

export function Panel({
  title,
  actions,
  children,
  padded = false,
}: {
  title?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  padded?: boolean;
}) {
  return (
    <section className="panel">
      {title || actions ? (
        <header>
          {title ? <h2>{title}</h2> : null}
          {actions}
        </header>
      ) : null}
      {padded ? <div className="inside">{children}</div> : children}
    </section>
  );
}
