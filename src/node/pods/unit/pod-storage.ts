// The files and volumes of a pod, kept up to date.

import { join } from "node:path";
import type { Pod } from "../../../api/types/core.ts";
import { Turns } from "../../runtime/runtime.ts";
import type { PodFacts } from "../environment/facts.ts";
import { dataDirectory, runDirectory } from "../machine.ts";
import type { PodFile } from "../sandbox/files.system.ts";
import { prepareImageVolume } from "../volumes/image-volume.ts";
import { PodVolumes } from "../volumes/pod-volumes.ts";
import { PodTokens } from "../volumes/tokens.ts";
import type { PodContext } from "./context.ts";
import type { PodParts } from "./pod-parts.ts";

export class PodStorage {
  readonly volumes: PodVolumes;
  /** The directory of termination messages. */
  readonly messages: string;
  readonly #context: PodContext;
  readonly #directory: string;
  #files: readonly PodFile[] = [];
  readonly #turns = new Turns();
  #isStale = false;
  #isClosed = false;

  constructor(
    context: PodContext,
    uid: string,
    { remark, signal }: Pick<PodParts, "remark" | "signal">,
  ) {
    const { client, clock, machine, directories, objects } = context;
    const disk = join(dataDirectory(directories), uid);
    this.#context = context;
    this.#directory = join(runDirectory(directories), uid);
    this.messages = join(disk, "messages");
    this.volumes = new PodVolumes({
      machine,
      objects,
      tokens: new PodTokens(client, clock),
      claims: context.claims,
      memory: join(this.#directory, "volumes"),
      disk: join(disk, "volumes"),
      image: (source, pod, field) =>
        prepareImageVolume(source, { context, pod, remark, signal }, field),
      changed: () => {
        this.#isStale = true;
        context.enqueue(uid);
      },
    });
  }

  get files(): readonly PodFile[] {
    return this.#files;
  }

  /**
   * Marks the volumes as stale when labels or annotations change, since downward API volumes may show them.
   */
  compare({ metadata: before }: Pod, { metadata: after }: Pod): void {
    const isSame =
      sameMap(before.labels, after.labels) && sameMap(before.annotations, after.annotations);
    if (!isSame) this.#isStale = true;
  }

  async make(facts: PodFacts): Promise<void> {
    const directory = join(this.#directory, "etc");
    const { dns, machine } = this.#context;
    this.#files = await machine.writePodFiles(facts.pod, {
      directory,
      addresses: facts.podIPs,
      dns,
    });
    await this.refresh(facts);
  }

  /** Writes the volumes again. Calls take turns, so that the latest content is written last. */
  async refresh(facts: PodFacts): Promise<void> {
    this.#isStale = false;
    await this.#turns.take("volumes", async () => {
      if (!this.#isClosed) await this.volumes.prepare(facts.pod.spec.volumes ?? [], facts);
    });
  }

  /** Stops all writes; none is under way when this resolves. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.volumes.close();
    await this.#turns.take("volumes", () => Promise.resolve());
    // A refresh that was under way may have begun to follow further objects.
    this.volumes.close();
  }

  /** The time at which the volumes must be refreshed, if any. */
  get refreshAt(): number | undefined {
    return this.#isStale ? 0 : this.volumes.renewAt;
  }
}

function sameMap(
  left: Readonly<Record<string, string>> = {},
  right: Readonly<Record<string, string>> = {},
): boolean {
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key]);
}
