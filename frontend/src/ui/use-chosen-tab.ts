import { useSearchParams } from "react-router";

/** The tab that the address names, else the first one, which it does not name. */
export function useChosenTab<Key extends string>(tabs: readonly { key: Key }[]): [Key, (key: Key) => void] {
  const [query, setQuery] = useSearchParams();
  const first = tabs[0];
  if (!first) throw new Error("There are no tabs.");
  const chosen = tabs.find(({ key }) => key === query.get("tab")) ?? first;
  const choose = (key: Key) => setQuery(key === first.key ? {} : { tab: key }, { replace: true });
  return [chosen.key, choose];
}
