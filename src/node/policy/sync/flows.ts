// Reads the kernel's connection table, and finds the connections that policies now deny.

import type { CallOptions, Commands } from "../../../base/host/command.ts";
import type { Family } from "../../../base/net/family.ts";
import type { ElementBook } from "../plan/element-book.ts";
import { lookUp } from "../plan/lookup.ts";
import { type Protocol, protocols } from "../plan/model.ts";
import { passes } from "../plan/program.ts";
import { auditBit } from "../plan/reasons.ts";

/** A connection: the client, the address it connected to (target), and the server that answers. */
export interface Flow {
  readonly protocol: Protocol;
  readonly client: string;
  readonly clientPort: number;
  readonly target: string;
  readonly targetPort: number;
  readonly server: string;
  readonly serverPort: number;
}

export interface FlowReader {
  list(family: Family, options?: CallOptions): Promise<readonly Flow[]>;
}

export function systemFlowReader(commands: Commands): FlowReader {
  return {
    async list(family, options) {
      const args = ["conntrack", "-L", "-f", family.toLowerCase()];
      const { stdout } = await commands.run(args, options);
      return stdout.split("\n").flatMap((line) => readFlow(line) ?? []);
    },
  };
}

/** Parses a line of conntrack(8): the original direction, then that of replies. */
export function readFlow(line: string): Flow | undefined {
  const protocol = protocols.find((one) => line.startsWith(`${one} `));
  if (protocol === undefined) return undefined;
  const values = (key: string): readonly string[] =>
    [...line.matchAll(new RegExp(` ${key}=(\\S+)`, "g"))].map(([, value = ""]) => value);
  const [[client, server], [target]] = [values("src"), values("dst")];
  const [clientPort, serverPort] = values("sport").map(Number);
  const [targetPort] = values("dport").map(Number);
  if (client === undefined || server === undefined || target === undefined) return undefined;
  return {
    protocol,
    client,
    clientPort: clientPort ?? 0,
    target,
    targetPort: targetPort ?? 0,
    server,
    serverPort: serverPort ?? 0,
  };
}

/** Returns whether the policies of either end deny the connection. Connections of the node itself pass. */
export function isDenied(
  flow: Flow,
  book: ElementBook,
  isOwn: (address: string) => boolean,
): boolean {
  const { protocol, client, server, serverPort: port } = flow;
  if (client === server || isOwn(client) || isOwn(server)) return false;
  const traffic = { protocol, port };
  return [
    lookUp(book, { side: "egress", subject: client, peer: server, ...traffic }),
    lookUp(book, { side: "ingress", subject: server, peer: client, ...traffic }),
  ].some((outcome = passes) => outcome !== passes && outcome < auditBit);
}
