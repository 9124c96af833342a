import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";

const KEYS: readonly [string[], string][] = [
  [["Ctrl", "K"], "Search and go anywhere"],
  [["?"], "These keys"],
  [["j", "k"], "Compare: next and previous object"],
  [["n", "p"], "Compare: next and previous conflict"],
  [["v"], "Compare: mark the object as viewed, or not"],
  [["↑", "↓", "←", "→"], "Move in the conflict matrix, in the branch graph, between tabs"],
  [["+", "−"], "Branch graph: zoom, as Ctrl and the wheel do"],
  [["Enter"], "Open what is chosen"],
  [["Ctrl", "Enter"], "SQL: run the statement"],
  [["Esc"], "Close"],
];

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="keys">
        {KEYS.map(([keys, meaning]) => (
          <div key={meaning} style={{ display: "contents" }}>
            <dt className="row">
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <div className="actions">
        <Button onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}
