import type { Prefix } from "../../base/net/prefix.ts";
import type { Log } from "../../base/program/log.ts";
import type { Span } from "./random.ts";
import type { WatchGroup } from "./watches.ts";

export interface HollowSettings {
  /** The number of nodes, named by the prefix and a number from `first` on. */
  readonly nodes: number;
  readonly nodePrefix: string;
  readonly first: number;
  readonly seed: number;
  /** The time that pulling a container's image takes. */
  readonly readyAfter: Span;
  /** The time after which containers of pods that are not restarted end with success; never when not given. */
  readonly endAfter?: Span | undefined;
  /** The number of nodes started in a second. */
  readonly startRate: number;
  readonly watches: readonly WatchGroup[];
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** The name of a cluster on this machine. */
  readonly name?: string | undefined;
  /** Whether each node gets certificates of its own; else all of them are the kubeconfig's user. */
  readonly join: boolean;
  readonly server?: string | undefined;
  readonly token?: string | undefined;
  readonly caHash?: string | undefined;
  /** The directory of certificates of nodes that join, and of volumes that are directories. */
  readonly dataDir: string;
  readonly nodeLabels: readonly string[];
  readonly registerWithTaints: readonly string[];
  readonly nodeCidr: readonly Prefix[];
  /** The ranges cut for the nodes, where the cluster assigns none. */
  readonly podCidr: readonly Prefix[];
  readonly cpus: number;
  readonly memoryGib: number;
  readonly maxPods: number;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
}
