import { Icon } from "../../ui/icons";
import { Menu } from "../../ui/menu";

export function StatementHistory({ past, onChoose }: { past: readonly string[]; onChoose: (statement: string) => void }) {
  if (past.length === 0) return null;
  return (
    <Menu label="Statements run before" buttonClass="button small" button={<>History <Icon name="down" size={12} /></>}>
      {past.map((statement) => (
        <button key={statement} type="button" className="item mono small" title={statement} onClick={() => onChoose(statement)}>
          <span className="ellipsis">{statement.replaceAll(/\s+/g, " ")}</span>
        </button>
      ))}
    </Menu>
  );
}
