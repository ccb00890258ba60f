import type { Commands } from "../../../base/host/command.ts";
import type { Flow, Flows } from "./flow.ts";

/** Lists flows with conntrack(8). */
export function systemFlows(commands: Commands): Flows {
  return {
    async listUdp(family, { signal } = {}) {
      const command = ["conntrack", "-L", "-f", family.toLowerCase(), "-p", "udp"];
      const { stdout } = await commands.run(command, { signal });
      return stdout.split("\n").flatMap(readFlow);
    },
  };
}

/** A line of conntrack(8): it holds both directions of a flow, that of the first packet first. */
const pattern = /src=\S+ dst=(\S+) sport=\d+ dport=(\d+) .*src=(\S+) dst=\S+ sport=(\d+) dport=\d+/;

function readFlow(line: string): Flow[] {
  const [, address, port, answerer, answererPort] = pattern.exec(line) ?? [];
  if (address === undefined || answerer === undefined) return [];
  return [
    {
      destination: { address, port: Number(port) },
      answerer: { address: answerer, port: Number(answererPort) },
    },
  ];
}
