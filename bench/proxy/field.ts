// Where proxies are measured: a node with an API server, and a neighbour that answers.

import { join } from "node:path";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { openLan } from "../../test/fixtures/lan.ts";
import { readyText } from "./answer.ts";
import type { Findings, TooSlow } from "./measure.ts";
import { answering, answeringPort, fillStore, nodeAddress } from "./objects.ts";

export interface Field {
  measure(subject: string, counts: { changes: number; burst: number }): Promise<Findings | TooSlow>;
}

const root = join(import.meta.dirname, "../..");
const commands = systemCommands();

export async function openField(scope: AsyncDisposableStack, services: number): Promise<Field> {
  const lan = scope.use(await openLan());
  const node = await lan.join("node", [`${nodeAddress}/24`]);
  const neighbour = await lan.join("neighbour", [
    "192.0.2.2/24",
    ...answering.map((address) => `${address}/32`),
  ]);
  await node.ip.batch(["route add default via 192.0.2.2"]);
  const answer = join(import.meta.dirname, "answer.ts");
  const places = answering.map((address) => `${address}:${answeringPort}`);
  await start(scope, [process.execPath, answer, ...places], {
    namespace: neighbour.namespace,
    ready: readyText,
  });
  const directory = join(lan.scratch, "server");
  await fillStore(join(directory, "store"), services);
  const kubeconfig = join(lan.scratch, "kubeconfig");
  await start(
    scope,
    [
      join(root, "bin/tandem"),
      "server",
      `--data-dir=${directory}`,
      "--listen=127.0.0.1:6443",
      "--service-cidr=10.96.0.0/16",
      `--kubeconfig-out=${kubeconfig}`,
      "--controllers=",
    ],
    { namespace: node.namespace, ready: '"serving"' },
  );
  return {
    async measure(subject, { changes, burst }) {
      const program = join(import.meta.dirname, "measure.ts");
      const counts = [services, changes, burst].map(String);
      try {
        const { stdout } = await node.commands.run(
          [process.execPath, program, subject, kubeconfig, ...counts, lan.scratch],
          { timeoutMs: 420_000, environment: { NODE_EXTRA_CA_CERTS: undefined } },
        );
        return JSON.parse(stdout) as Findings | TooSlow;
      } finally {
        await node.commands.run(["sh", "-c", forgetEverything]);
      }
    },
  };
}

/** Whoever is next begins with nothing. */
const forgetEverything = `nft flush ruleset
for tool in iptables-legacy ip6tables-legacy; do
  for table in nat filter mangle raw; do $tool -t $table -F; $tool -t $table -X; done
done`;

async function start(
  scope: AsyncDisposableStack,
  command: readonly string[],
  { namespace, ready }: { namespace: string; ready: string },
): Promise<void> {
  const isReady = Promise.withResolvers<void>();
  const said: string[] = [];
  const running = await commands.start(command, {
    namespace,
    diesWithParent: true,
    environment: { NODE_EXTRA_CA_CERTS: undefined },
    onLine: (line) => {
      if (said.length < 100) said.push(line);
      if (line.includes(ready)) isReady.resolve();
    },
  });
  scope.defer(async () => void (await running.stop()));
  void running.exited.then(() =>
    isReady.reject(new Error(`Cannot start ${command.join(" ")}: ${said.join("\n")}`)),
  );
  await isReady.promise;
}
