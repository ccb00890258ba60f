import type { Exits } from "./exits.ts";
import type { Cgroups } from "./machine/cgroups.ts";
import type { Identity } from "./machine/identity.ts";
import type { OciRuntime } from "./oci-runtime.ts";
import type { Places } from "./places.ts";
import type { ImageRoots } from "./port.ts";
import type { FoundProgram } from "./programs.ts";

/** What everything that is done with containers needs. */
export interface RuntimeContext {
  readonly places: Places;
  readonly runtime: OciRuntime;
  readonly monitor: FoundProgram;
  /** Where tandem-sandbox is. */
  readonly helper: string;
  readonly identity: Identity;
  readonly images: ImageRoots;
  readonly exits: Exits;
  readonly cgroups: Cgroups;
  /** That of the node, above those of its containers. */
  readonly cgroup?: string;
}
