// The files and volumes of a pod, and what keeps them up to date.

import { join } from "node:path";
import type { Pod } from "../../../api/types/core.ts";
import type { PodFacts } from "../environment/facts.ts";
import { type PodFile, writePodFiles } from "../sandbox/files.ts";
import { accountPath, accountVolume, wantsAccount } from "../volumes/account.ts";
import { PodVolumes } from "../volumes/pod-volumes.ts";
import { PodTokens } from "../volumes/tokens.ts";
import { dataDirectory, type PodContext, runDirectory } from "./context.ts";

export class PodStorage {
  readonly volumes: PodVolumes;
  /** Where last words are left. */
  readonly messages: string;
  readonly #context: PodContext;
  readonly #directory: string;
  #files: readonly PodFile[] = [];
  #isStale = false;
  #hasAccount = false;

  constructor(context: PodContext, uid: string) {
    const { client, clock, commands, directories, objects } = context;
    const disk = join(dataDirectory(directories), uid);
    this.#context = context;
    this.#directory = join(runDirectory(directories), uid);
    this.messages = join(disk, "messages");
    this.volumes = new PodVolumes({
      commands,
      objects,
      tokens: new PodTokens(client, clock),
      memory: join(this.#directory, "volumes"),
      disk: join(disk, "volumes"),
      changed: () => {
        this.#isStale = true;
        context.enqueue(uid);
      },
    });
  }

  get files(): readonly PodFile[] {
    return this.#files;
  }

  /** Volumes may show labels and annotations. */
  compare({ metadata: before }: Pod, { metadata: after }: Pod): void {
    const isSame =
      sameMap(before.labels, after.labels) && sameMap(before.annotations, after.annotations);
    if (!isSame) this.#isStale = true;
  }

  async make(facts: PodFacts): Promise<void> {
    const { dns, client } = this.#context;
    const directory = join(this.#directory, "etc");
    const files = await writePodFiles(facts.pod, { directory, addresses: facts.podIPs, dns });
    this.#hasAccount = await wantsAccount(facts.pod, client);
    await this.refresh(facts);
    const account = this.volumes.get(accountVolume.name);
    this.#files = [
      ...files,
      ...(account === undefined
        ? []
        : [{ source: account.path, destination: accountPath, readOnly: true }]),
    ];
  }

  async refresh(facts: PodFacts): Promise<void> {
    this.#isStale = false;
    const volumes = facts.pod.spec.volumes ?? [];
    await this.volumes.prepare(this.#hasAccount ? [...volumes, accountVolume] : volumes, facts);
  }

  /** When the volumes must be looked at again, if ever. */
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
