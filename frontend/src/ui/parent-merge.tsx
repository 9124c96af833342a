import { parentMergeLines, type ParentMerge as Said } from "../model/parent-merge";

/** What a merge of the branch to its parent would say after a write that was tried. */
export function ParentMerge({ said }: { said: Said | undefined }) {
  if (!said) return null;
  const [first, ...lines] = parentMergeLines(said);
  return (
    <div className="small inside" role="note" aria-label="A merge to the parent">
      <p>{first}</p>
      {lines.length ? (
        <ul>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
