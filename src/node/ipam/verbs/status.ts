import { choose, isRefusal } from "../allocator.ts";
import { IpamError } from "../errors.ts";
import { isAtLeast } from "../versions.ts";
import type { Call } from "./call.ts";
import { pooledRanges } from "./pools.ts";

/** STATUS: fails when an ADD would, since a range is exhausted or the datastore does not answer. */
export async function status(call: Call): Promise<void> {
  const { cniVersion } = call.configuration;
  if (!isAtLeast(cniVersion, "1.1.0")) {
    throw new IpamError(
      "incompatibleVersion",
      `Cannot tell STATUS: cniVersion ${cniVersion} has no STATUS`,
    );
  }
  const ranges = await pooledRanges(call, { claim: false });
  const pools = ranges.map(({ pool }) => pool);
  const outcome = await call.datastore.transact({ pools }, (view) =>
    choose(view, { ranges, requested: [] }),
  );
  if (isRefusal(outcome)) throw new IpamError("notAvailable", outcome.message);
}

/** Turns the failure to reach the datastore into the error of STATUS that no ADD can be served. */
export function notAvailable(error: unknown): unknown {
  const outOfReach = ["inputOutput", "notPermitted", "tryAgainLater"];
  const isOutOfReach = error instanceof IpamError && outOfReach.includes(error.reason);
  return isOutOfReach ? new IpamError("notAvailable", error.message, error.cause) : error;
}
