import type { Pod } from "../../../api/types/core.ts";
import type { PodNetwork } from "../port.ts";
import type { MakeOptions, SandboxKeeper } from "../sandbox/keeper.ts";
import type { SandboxRecord } from "../sandbox/record.ts";

/** Sandboxes without namespaces; they outlive the manager, as real ones do. */
export class FakeSandboxes implements SandboxKeeper {
  readonly records = new Map<string, SandboxRecord>();
  readonly dead = new Set<string>();
  /** Called before each removal; an error it returns is thrown. */
  removeFault: () => Error | undefined = () => undefined;
  readonly #network: PodNetwork;
  #made = 0;

  constructor(network: PodNetwork) {
    this.#network = network;
  }

  async list(): Promise<ReadonlyMap<string, SandboxRecord>> {
    return this.records;
  }

  async find(uid: string): Promise<SandboxRecord | undefined> {
    return this.records.get(uid);
  }

  async isAlive({ id }: SandboxRecord): Promise<boolean> {
    return !this.dead.has(id);
  }

  async make(pod: Pod, { preferred }: MakeOptions): Promise<SandboxRecord> {
    const { uid = "", namespace, name } = pod.metadata;
    const id = `sandbox-${++this.#made}`;
    const path = `/run/fake/${id}`;
    const request = { pod, sandbox: id, namespace: path, preferred };
    const addresses = await this.#network.attach(request);
    const namespaces = { network: path };
    const record = { id, uid, namespace, name, isReady: true, namespaces, addresses };
    this.records.set(uid, record);
    return record;
  }

  async remove(uid: string): Promise<readonly string[]> {
    const fault = this.removeFault();
    if (fault !== undefined) throw fault;
    const record = this.records.get(uid);
    this.records.delete(uid);
    return record === undefined ? [] : this.#network.detach(record.id);
  }
}
