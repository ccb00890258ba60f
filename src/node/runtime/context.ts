import type { Exits } from "./exits.system.ts";
import type { Cgroups } from "./machine/cgroups.ts";
import type { Identity } from "./machine/identity.ts";
import type { OciRuntime } from "./oci-runtime.system.ts";
import type { Places } from "./places.ts";
import type { ImageRoots } from "./port.ts";
import type { FoundProgram } from "./programs.system.ts";

/** The dependencies of all operations on containers. */
export interface RuntimeContext {
  readonly places: Places;
  readonly runtime: OciRuntime;
  readonly monitor: FoundProgram;
  /** The path of the program tandem-sandbox. */
  readonly helper: string;
  readonly identity: Identity;
  readonly images: ImageRoots;
  readonly exits: Exits;
  readonly cgroups: Cgroups;
  /** The cgroup of the node, the parent of its containers' cgroups. */
  readonly cgroup?: string;
}
