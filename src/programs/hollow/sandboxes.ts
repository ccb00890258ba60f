// Sandboxes without namespaces, in memory.

import type { Pod } from "../../api/types/core.ts";
import type { Random } from "../../base/host/random.ts";
import type {
  MakeOptions,
  PodNetwork,
  SandboxKeeper,
  SandboxRecord,
} from "../../node/pods/pods.ts";

interface Sandbox {
  readonly pod: Pod;
  readonly record: SandboxRecord;
}

export class HollowSandboxes implements SandboxKeeper {
  readonly #network: PodNetwork;
  readonly #random: Random;
  readonly #sandboxes = new Map<string, Sandbox>();

  constructor(network: PodNetwork, random: Random) {
    this.#network = network;
    this.#random = random;
  }

  /** Returns the pod that a sandbox was made for. */
  podOf(uid: string): Pod | undefined {
    return this.#sandboxes.get(uid)?.pod;
  }

  async list(): Promise<ReadonlyMap<string, SandboxRecord>> {
    return new Map([...this.#sandboxes].map(([uid, { record }]) => [uid, record]));
  }

  async find(uid: string): Promise<SandboxRecord | undefined> {
    return this.#sandboxes.get(uid)?.record;
  }

  async isAlive({ uid }: SandboxRecord): Promise<boolean> {
    return this.#sandboxes.has(uid);
  }

  async make(pod: Pod, { preferred }: MakeOptions): Promise<SandboxRecord> {
    const { uid = "", namespace, name } = pod.metadata;
    const id = Buffer.from(this.#random.bytes(16)).toString("hex");
    const network = `/hollow/${id}`;
    const isHost = pod.spec.hostNetwork === true;
    const request = { pod, sandbox: id, namespace: network, preferred };
    const addresses = isHost ? [] : await this.#network.attach(request);
    const namespaces = isHost ? {} : { network };
    const record = { id, uid, namespace, name, isReady: true, namespaces, addresses };
    this.#sandboxes.set(uid, { pod, record });
    return record;
  }

  async remove(uid: string): Promise<readonly string[]> {
    const found = this.#sandboxes.get(uid);
    this.#sandboxes.delete(uid);
    return found === undefined ? [] : await this.#network.detach(found.record.id);
  }
}
