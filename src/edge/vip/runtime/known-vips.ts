// The VIPs that a node had in force last, kept in its directory: a status that somebody has written while
// the node was down must not move them either.

import { join } from "node:path";
import type { Files } from "../../../base/host/files.ts";
import { Address } from "../../../base/net/address.ts";
import type { VipCluster } from "../cluster.ts";

/** What was in force, and whether it still is. */
export interface KnownVips {
  readonly cluster: VipCluster;
  /** Else it is from a run before: a cluster of another name has VIPs of its own. */
  readonly isInForce: boolean;
}

export class KnownVipsFile {
  readonly #path: string;
  readonly #files: Files;
  #text: string | undefined;

  constructor(directory: string, files: Files) {
    this.#path = join(directory, "vips.json");
    this.#files = files;
  }

  /** What makes no sense counts as not there. */
  async read(): Promise<VipCluster | undefined> {
    this.#text = await this.#files.read(this.#path);
    return this.#text === undefined ? undefined : parse(this.#text);
  }

  /** The directory is there when something is in force. */
  async write({ name, vips }: VipCluster): Promise<void> {
    const lists = { api: vips.api.map(String), ingress: vips.ingress.map(String) };
    const text = JSON.stringify({ name, vips: lists });
    if (text === this.#text) return;
    await this.#files.write(this.#path, text);
    this.#text = text;
  }
}

function parse(text: string): VipCluster | undefined {
  try {
    const { name, vips } = JSON.parse(text) as { name: string; vips: Record<string, string[]> };
    const list = (use: string) => (vips[use] ?? []).map(Address.parse);
    return typeof name === "string"
      ? { name, vips: { api: list("api"), ingress: list("ingress") } }
      : undefined;
  } catch {
    // A file of another version, or half of one: the status alone counts then.
    return undefined;
  }
}
