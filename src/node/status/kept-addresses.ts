// The last addresses of a node, in its data directory.
import { join } from "node:path";
import type { Files } from "../../base/host/files.ts";
import { Address } from "../../base/net/address.ts";

export interface KeptAddresses {
  /** Reads the addresses; none if nothing was kept, or the file makes no sense. */
  read(): Promise<readonly Address[]>;
  write(addresses: readonly Address[]): Promise<void>;
}

export function keptAddresses(files: Files, dataDirectory: string): KeptAddresses {
  const path = join(dataDirectory, "addresses");
  return {
    async read() {
      const text = (await files.read(path)) ?? "";
      return text.split("\n").flatMap((line) => Address.tryParse(line.trim()) ?? []);
    },
    async write(addresses) {
      const text = addresses.map((address) => `${address}\n`).join("");
      if ((await files.read(path)) !== text) await files.write(path, text);
    },
  };
}
