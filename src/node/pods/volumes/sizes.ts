// The sizes of emptyDir volumes on disk that have a limit. Those in memory are limited by their file system.

import { nanosOf } from "../../../api/fields/quantity.ts";
import type { PodSpec } from "../../../api/types/core.ts";
import type { Commands } from "../../../base/host/command.ts";
import { CommandError } from "../../../base/host/error.ts";
import type { Refusal } from "../admission/refusal.ts";
import type { PodVolumes } from "./pod-volumes.ts";

/** The time between two looks at the volumes of a pod, as long as the kubelet's. */
const pauseMs = 10_000;
/** The timeout of one look: a pod may have made millions of files. */
const timeoutMs = 60_000;

export class VolumeSizes {
  readonly #commands: Commands;
  readonly #volumes: PodVolumes;
  #nextAt = 0;

  constructor(commands: Commands, volumes: PodVolumes) {
    this.#commands = commands;
    this.#volumes = volumes;
  }

  get nextAt(): number {
    return this.#nextAt;
  }

  /** Returns the time of the next look; undefined when no volume has a limit. */
  dueAt(spec: PodSpec): number | undefined {
    return limited(spec).length === 0 ? undefined : this.#nextAt;
  }

  /** Postpones the next look. */
  postpone(now: number): void {
    this.#nextAt = now + pauseMs;
  }

  /** Returns why the pod must be evicted, if a volume uses more than its limit. */
  async excess(spec: PodSpec): Promise<Refusal | undefined> {
    for (const { name, sizeLimit } of limited(spec)) {
      const path = this.#volumes.get(name)?.path;
      if (path === undefined) continue;
      const used = BigInt(await this.#usedBytes(path)) * 1_000_000_000n;
      if (used <= nanosOf(sizeLimit)) continue;
      const message = `Usage of EmptyDir volume ${JSON.stringify(name)} exceeds the limit ${JSON.stringify(sizeLimit)}. `;
      return { reason: "Evicted", message };
    }
    return undefined;
  }

  async #usedBytes(path: string): Promise<number> {
    const command = ["du", "--summarize", "--one-file-system", "--block-size=1", "--", path];
    const parse = (text: string) => Number(/^\d+/.exec(text)?.[0] ?? 0);
    try {
      return parse((await this.#commands.run(command, { timeoutMs })).stdout);
    } catch (error) {
      // Files that vanish meanwhile make du fail, which has counted the others then.
      if (error instanceof CommandError && error.exitCode === 1) return parse(error.stdout);
      throw error;
    }
  }
}

interface Limited {
  readonly name: string;
  readonly sizeLimit: string;
}

function limited({ volumes = [] }: PodSpec): readonly Limited[] {
  return volumes.flatMap(({ name, emptyDir }) => {
    const { medium = "", sizeLimit = "0" } = emptyDir ?? {};
    return medium === "Memory" || nanosOf(sizeLimit) <= 0n ? [] : [{ name, sizeLimit }];
  });
}
