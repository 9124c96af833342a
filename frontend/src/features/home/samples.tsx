import { useNavigate } from "react-router";

import { taskAddress } from "../../model/addresses";
import { DEMO } from "../../model/first-steps";
import { useCatalogs, useSampleLoad } from "../../queries/catalogs";
import { Button } from "../../ui/button";
import { Muted } from "../../ui/muted";
import { Failure } from "../../ui/states";
import { JUST_STARTED } from "../tasks/just-started";

const SAMPLES = [
  { name: "flights", catalog: DEMO, holds: "flights from New York City, with pipelines" },
  { name: "shop", catalog: "demo_shop", holds: "a small shop, with keys and nested columns" },
] as const;

/** A button for each sample lake whose catalog is not there. */
export function Samples({ className = "" }: { className?: string }) {
  const catalogs = useCatalogs().data?.results;
  const navigate = useNavigate();
  const load = useSampleLoad();
  const missing = catalogs ? SAMPLES.filter(({ catalog }) => !catalogs.some(({ name }) => name === catalog)) : [];
  if (missing.length === 0) return null;
  return (
    <div className={`stack tight ${className}`}>
      <p className="row">
        <Muted>Load a sample:</Muted>
        {missing.map(({ name, holds }) => (
          <Button
            key={name}
            isSmall
            title={holds}
            disabled={load.isPending}
            onClick={() => load.mutate(name, { onSuccess: (task) => void navigate(taskAddress(task.id), { state: JUST_STARTED }) })}
          >
            {name}
            <span className="visually-hidden">: {holds}</span>
          </Button>
        ))}
      </p>
      {load.error ? <Failure error={load.error} /> : null}
    </div>
  );
}
