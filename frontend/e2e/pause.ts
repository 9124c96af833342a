/** The worker waits at a named point (lakeui/common/faults.py), so that there is time to do something meanwhile. */
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Pause {
  /** Have the next one who comes to the point wait there. */
  arm: () => void;
  isReached: () => boolean;
  /** Let it go on; also where no one came. */
  end: () => void;
}

export function pauseAt(point: string): Pause {
  const folder = process.env.LAKEUI_FAULTS;
  if (!folder) throw new Error("The server under test has to be started with LAKEUI_FAULTS.");
  const mark = join(folder, `${point}.reached`);
  return {
    arm: () => {
      // Written under another name first: the worker must not see half of it.
      const armed = join(folder, ".armed");
      writeFileSync(armed, "pause");
      renameSync(armed, join(folder, point));
    },
    isReached: () => existsSync(mark),
    end: () => rmSync(mark, { force: true }),
  };
}
