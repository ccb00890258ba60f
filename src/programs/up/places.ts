// Paths of a cluster's files on the machine.

import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

export interface PlaceOptions {
  readonly name: string;
  readonly user: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The paths in the data directory. */
export interface DataPlaces {
  readonly directory: string;
  readonly settings: string;
  /** The programs that run, and how often each was started. */
  readonly state: string;
  readonly kubeconfig: string;
  readonly logs: string;
  readonly server: string;
  readonly etcd: string;
  readonly nodes: string;
  /** The image store, which the nodes share. */
  readonly images: string;
}

export function dataPlaces(directory: string): DataPlaces {
  return {
    directory,
    settings: join(directory, "cluster.json"),
    state: join(directory, "state.json"),
    kubeconfig: join(directory, "kubeconfig"),
    logs: join(directory, "logs"),
    server: join(directory, "server"),
    etcd: join(directory, "etcd"),
    nodes: join(directory, "nodes"),
    images: join(directory, "images"),
  };
}

/** Returns the directory with the records of running clusters, which does not outlive a reboot. */
export function recordDirectory({ user, env }: Omit<PlaceOptions, "name">): string {
  if (user === 0) return "/run/tandem";
  const own = env["XDG_RUNTIME_DIR"];
  return own === undefined || own === "" ? join(tmpdir(), `tandem-${user}`) : join(own, "tandem");
}

/** The parent of the data directories, created by the first cluster and removed with the last. */
export const clustersDirectory = "tandem-clusters";

export function defaultDataDirectory({ name, user, env }: PlaceOptions): string {
  if (user === 0) return join("/var/lib", clustersDirectory, name);
  const shared = env["XDG_DATA_HOME"] || join(env["HOME"] || homedir(), ".local", "share");
  return join(shared, clustersDirectory, name);
}
