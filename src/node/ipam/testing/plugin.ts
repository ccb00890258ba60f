// The plugin, run in the process of the test on a local datastore of its own.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../config/fields.ts";
import { openDatastore } from "../datastore/open.ts";
import type { Datastore } from "../datastore/port.ts";
import type { CniError } from "../errors.ts";
import { writeLog } from "../log.system.ts";
import { run } from "../run.ts";

export interface Ask {
  readonly container?: string;
  readonly ifname?: string;
  readonly netns?: string;
  readonly pod?: string;
  readonly args?: string;
  readonly network?: JsonObject;
}

export interface Answer {
  readonly failed: boolean;
  /** The assigned addresses, each as "address/length". */
  readonly ips: readonly string[];
  readonly result: JsonObject;
  readonly error: CniError;
}

export class Plugin {
  readonly directory = mkdtempSync(join(tmpdir(), "ipam-"));
  time = 1_700_000_000_000;

  constructor(t: { after(work: () => void): void }) {
    t.after(() => rmSync(this.directory, { recursive: true }));
  }

  async call(command: string, ipam: JsonObject, ask: Ask = {}): Promise<Answer> {
    const {
      container = "c1",
      ifname = "eth0",
      netns = "/run/netns/none",
      pod,
      args,
      network,
    } = ask;
    const podArgs = pod === undefined ? "" : `K8S_POD_NAMESPACE=default;K8S_POD_NAME=${pod}`;
    const { output, failed } = await run(
      {
        node: "node-1",
        variables: {
          CNI_COMMAND: command,
          CNI_CONTAINERID: container,
          CNI_IFNAME: ifname,
          CNI_NETNS: netns,
          CNI_ARGS: args ?? podArgs,
        },
        input: JSON.stringify({
          cniVersion: "1.1.0",
          name: "net",
          type: "bridge",
          ...network,
          ipam: {
            type: "tandem-ipam",
            datastore: "local",
            data_dir: this.directory,
            log_file: join(this.directory, "log"),
            ...ipam,
          },
        }),
      },
      { now: () => this.time, writeLog, open: openDatastore },
    );
    const result = (output === "" ? {} : JSON.parse(output)) as JsonObject & CniError;
    const ips = Array.isArray(result.ips) ? (result.ips as { address: string }[]) : [];
    return { failed, ips: ips.map(({ address }) => address), result, error: result };
  }

  async reserved(): Promise<string[]> {
    return this.with(async (datastore) =>
      (await datastore.reservations()).map(({ address }) => address.toString()),
    );
  }

  async with<T>(work: (datastore: Datastore) => Promise<T>): Promise<T> {
    const datastore = await openDatastore({ type: "local", dataDir: this.directory });
    try {
      return await work(datastore);
    } finally {
      await datastore.close();
    }
  }
}
