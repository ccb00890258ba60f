// The VIPs that a node had in force last, kept in its directory: a status that was changed while the node was
// down must not move them either.

import { join } from "node:path";
import type { Files } from "../../../base/host/files.ts";
import { Address } from "../../../base/net/address.ts";
import type { VipCluster } from "../cluster.ts";

/** The VIPs that were in force last, and whether they still are. */
export interface KnownVips {
  readonly cluster: VipCluster;
  /** Whether they are in force now; else they are of a previous run, for a cluster of the same name. */
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

  /** Reads the file; undefined when it is missing or makes no sense. */
  async read(): Promise<VipCluster | undefined> {
    this.#text = await this.#files.read(this.#path);
    return this.#text === undefined ? undefined : parse(this.#text);
  }

  /** Writes the file; the directory exists when something is in force. */
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
    // The file is from another version, or damaged: only the status counts then.
    return undefined;
  }
}
