import type { Family } from "../../../base/net/family.ts";
import type { Flow, Flows } from "./flow.ts";

export class FakeFlows implements Flows {
  readonly flows: Record<Family, readonly Flow[]> = { IPv4: [], IPv6: [] };
  /** The number of calls of `listUdp`. */
  lists = 0;

  async listUdp(family: Family): Promise<readonly Flow[]> {
    this.lists++;
    return this.flows[family];
  }
}
