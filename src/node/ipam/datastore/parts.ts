import { systemRandom } from "../../../base/host/random.system.ts";
import type { Random } from "../../../base/host/random.ts";

/** The dependencies that datastores are made with. */
export interface DatastoreParts {
  readonly random: Random;
}

export const systemParts: DatastoreParts = { random: systemRandom };
