import { Link, useRouteError } from "react-router";

import { Empty, Failure } from "../../ui/states";

/** A page that could not be drawn, or whose code could not be loaded. */
export function PageFailure() {
  const error = useRouteError();
  return (
    <div className="page">
      <Failure error={error} retry={() => window.location.reload()} />
    </div>
  );
}

export function NotFoundPage() {
  return (
    <Empty title="There is no page at this address">
      <Link to="/">To the start page</Link>
    </Empty>
  );
}
