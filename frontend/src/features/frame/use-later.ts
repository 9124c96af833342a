import { useEffect, useState } from "react";

/**
 * Code that is fetched after the first page is drawn; undefined until it is there. It is drawn at once then, so that no
 * key is lost. Where it could not be fetched, it is fetched again once it is wanted, and the page fails if that fails.
 */
export function useLater<Code>(load: () => Promise<Code>, isWanted: boolean): Code | undefined {
  const [code, setCode] = useState<Code>();
  const isMissing = code === undefined;
  useEffect(() => {
    if (!isMissing) return;
    load().then(
      (found) => setCode(() => found),
      (error: unknown) => {
        if (!isWanted) return;
        setCode(() => {
          throw error;
        });
      },
    );
  }, [load, isWanted, isMissing]);
  return code;
}
