// What a pod keeps on the node's disk, looked at now and then where it has limits.

import { dirname } from "node:path";
import type { PodSpec } from "../../../api/types/core.ts";
import type { Commands } from "../../../base/host/command.ts";
import { CommandError } from "../../../base/host/error.ts";
import type { ContainerState } from "../../runtime/runtime.ts";
import type { Refusal } from "../admission/refusal.ts";
import { excessOf, weighedContainers, weighedVolumes } from "./limits.ts";

/** The time between two looks at a pod, as long as the kubelet's. */
const pauseMs = 10_000;
/** The timeout of one look: a pod may have made millions of files. */
const timeoutMs = 60_000;

/** Where the files of a pod are. */
export interface DiskPlaces {
  readonly volumes: { get(name: string): { readonly path: string } | undefined };
  /** Returns the containers of one name, the latest first. */
  containerStates(name: string): readonly Pick<ContainerState, "logPath" | "changes">[];
}

export class PodDisk {
  readonly #commands: Commands;
  readonly #places: DiskPlaces;
  #nextAt = 0;

  constructor(commands: Commands, places: DiskPlaces) {
    this.#commands = commands;
    this.#places = places;
  }

  get nextAt(): number {
    return this.#nextAt;
  }

  /** Returns the time of the next look; undefined when nothing of the pod has a limit. */
  dueAt(spec: PodSpec): number | undefined {
    const isLimited = weighedVolumes(spec).length + weighedContainers(spec).length > 0;
    return isLimited ? this.#nextAt : undefined;
  }

  /** Postpones the next look. */
  postpone(now: number): void {
    this.#nextAt = now + pauseMs;
  }

  /** Returns why the pod must be evicted, if it uses more than a limit. */
  async excess(spec: PodSpec): Promise<Refusal | undefined> {
    const volumes = new Map<string, number>();
    for (const name of weighedVolumes(spec)) {
      const path = this.#places.volumes.get(name)?.path;
      if (path !== undefined) volumes.set(name, await this.#usedBytes([path]));
    }
    const containers = new Map<string, number>();
    for (const name of weighedContainers(spec)) {
      const [latest] = this.#places.containerStates(name);
      if (latest === undefined) continue;
      const { logPath, changes } = latest;
      // The folder of the log has the rotated ones as well.
      const paths = [dirname(logPath), ...(changes === undefined ? [] : [changes])];
      containers.set(name, await this.#usedBytes(paths));
    }
    return excessOf(spec, { volumes, containers });
  }

  async #usedBytes(paths: readonly string[]): Promise<number> {
    const options = ["--summarize", "--total", "--one-file-system", "--block-size=1"];
    const parse = (text: string) => Number(/^(\d+)\ttotal$/m.exec(text)?.[1] ?? 0);
    try {
      return parse(
        (await this.#commands.run(["du", ...options, "--", ...paths], { timeoutMs })).stdout,
      );
    } catch (error) {
      // Files that vanish meanwhile make du fail, which has counted the others then.
      if (error instanceof CommandError && error.exitCode === 1) return parse(error.stdout);
      throw error;
    }
  }
}
