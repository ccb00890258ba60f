import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCommands } from "../../src/base/host/command.system.ts";
import type { Commands, RunningCommand } from "../../src/base/host/command.ts";
import { systemIptables } from "../../src/base/host/iptables.system.ts";
import { systemNft } from "../../src/base/host/nft.system.ts";
import { type Family, families } from "../../src/base/net/family.ts";
import { tableName } from "../../src/node/proxy/nftables/table-names.ts";
import { wordsOf } from "../../src/node/proxy/table/words.ts";
import type { TestServer } from "../fixtures/server.ts";

export type Mode = "nftables" | "iptables";

interface Status {
  readonly families: readonly { readonly synced?: Readonly<Record<string, string>> }[];
}

/** What a proxy has in the kernel, the same text for the same state. */
export async function rulesOf(mode: Mode, node: Commands): Promise<string> {
  const all = await Promise.all(families.map((family) => familyRules(mode, { family, node })));
  return all.join("");
}

async function familyRules(
  mode: Mode,
  { family, node }: { family: Family; node: Commands },
): Promise<string> {
  if (mode === "nftables") {
    const saved = await systemNft(node)
      .text(wordsOf(family, tableName).table)
      .catch(() => "");
    return sortedBlocks(saved);
  }
  const iptables = systemIptables(node, { family, variant: "nft" });
  return (await iptables.save("nat")) + (await iptables.save("filter"));
}

/** Chains and sets come in the order they were made in, and elements in none. */
function sortedBlocks(table: string): string {
  const content = table.replace(/\n}\s*$/, "");
  const inOrder = content.replaceAll(/elements = \{([^}]*)\}/g, (_, list: string) =>
    list
      .split(",")
      .map((element) => element.trim())
      .toSorted()
      .join("\n"),
  );
  return inOrder
    .split(/\n\n|\n(?=\tchain )/)
    .toSorted()
    .join("\n");
}

export class Subject implements AsyncDisposable {
  readonly #socket: string;
  readonly #running: RunningCommand;
  readonly #output: string[];

  private constructor(socket: string, running: RunningCommand, output: string[]) {
    this.#socket = socket;
    this.#running = running;
    this.#output = output;
  }

  static async start(
    mode: Mode,
    { server, namespace, scratch }: { server: TestServer; namespace: string; scratch: string },
  ): Promise<Subject> {
    const socket = join(scratch, "status.sock");
    const program = new URL("proxy-subject.ts", import.meta.url).pathname;
    const output: string[] = [];
    const running = await systemCommands().start(
      [process.execPath, program, mode, server.kubeconfig, namespace, socket],
      { diesWithParent: true, onLine: (line) => output.push(line) },
    );
    return new Subject(socket, running, output);
  }

  async kill(): Promise<void> {
    this.#running.kill("SIGKILL");
    await this.#running.exited;
  }

  /** Does something while the proxy stands still. */
  async paused(work: () => Promise<void>): Promise<void> {
    this.#running.kill("SIGSTOP");
    try {
      await work();
    } finally {
      this.#running.kill("SIGCONT");
    }
  }

  /** Until both families have these revisions in the kernel. */
  async synced(revisions: Readonly<Record<string, number>> = {}): Promise<void> {
    await this.until(`${JSON.stringify(revisions)} is in the kernel`, async () => {
      const { families: all = [] } = (await this.#status()) ?? {};
      const isReached = all.every(({ synced }) =>
        Object.entries(revisions).every(([key, wanted]) => Number(synced?.[key]) >= wanted),
      );
      return all.length > 0 && all.every(({ synced }) => synced !== undefined) && isReached;
    });
  }

  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + 60_000;
    while (!(await isSo())) {
      if (Date.now() > deadline) {
        throw new Error(`Cannot wait until ${what}:\n${this.#output.slice(-30).join("\n")}`);
      }
      await sleep(10);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running.stop();
  }

  #status(): Promise<Status | undefined> {
    return new Promise((resolve) => {
      const asking = request({ socketPath: this.#socket, path: "/status" }, (response) => {
        text(response).then(
          (body) => resolve(JSON.parse(body) as Status),
          () => resolve(undefined),
        );
      });
      asking.once("error", () => resolve(undefined)).end();
    });
  }
}
